// Fast Fourier transforms of 256 points (Stockham, radix 2) in LDS, one a work-group; twiddles from sincospif.
#include "check.h"
#include <hip/hip_complex.h>
#include <math.h>

constexpr int N = 256;

__global__ void fft(const hipFloatComplex *in, hipFloatComplex *out) {
  __shared__ hipFloatComplex buffer[2][N];
  int t = threadIdx.x;
  in += blockIdx.x * N;
  out += blockIdx.x * N;
  buffer[0][t] = in[t];
  buffer[0][t + N / 2] = in[t + N / 2];
  int from = 0;
  for (int half = 1; half < N; half *= 2) {
    __syncthreads();
    int k = t & (half - 1);
    float s, c;
    sincospif(-float(k) / float(half), &s, &c);
    hipFloatComplex a = buffer[from][t], b = hipCmulf(buffer[from][t + N / 2], make_hipFloatComplex(c, s));
    int to = ((t - k) << 1) + k;
    buffer[1 - from][to] = hipCaddf(a, b);
    buffer[1 - from][to + half] = hipCsubf(a, b);
    from = 1 - from;
  }
  __syncthreads();
  out[t] = buffer[from][t];
  out[t + N / 2] = buffer[from][t + N / 2];
}

int main() {
  constexpr int batch = 3;
  std::vector<hipFloatComplex> host(batch * N);
  for (hipFloatComplex &z : host)
    z = make_hipFloatComplex(randomFloat(), randomFloat());
  Device<hipFloatComplex> in(host), out(host.size());
  fft<<<batch, N / 2>>>(in, out);
  std::vector<hipFloatComplex> result = out.read();
  double worst = 0, norm = 0;
  for (int b = 0; b < batch; ++b)
    for (int k = 0; k < N; ++k) {
      double re = 0, im = 0;
      for (int j = 0; j < N; ++j) {
        double angle = -2 * M_PI * (j * k % N) / N, c = cos(angle), s = sin(angle);
        hipFloatComplex z = host[b * N + j];
        re += z.x * c - z.y * s;
        im += z.x * s + z.y * c;
      }
      worst = fmax(worst, hypot(result[b * N + k].x - re, result[b * N + k].y - im));
      norm = fmax(norm, hypot(re, im));
    }
  // log2(256) stages, each with about four roundings, relative to the largest coefficient.
  expect("coefficients", worst / norm, 8 * 4 * 0x1p-24);
  return finish("fft");
}
