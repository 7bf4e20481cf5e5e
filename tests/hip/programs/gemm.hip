// Batched products of half-precision matrices with single-precision sums; the tiles are templates' arguments.
#include "check.h"
#include <hip/hip_fp16.h>

template <int Tile, int PerThread>
__global__ void gemm(const half *a, const half *b, float *c, int m, int n, int k, float alpha, float beta) {
  __shared__ half as[Tile][Tile + 2], bs[Tile][Tile + 2];
  a += blockIdx.z * m * k, b += blockIdx.z * k * n, c += blockIdx.z * m * n;
  int row = blockIdx.y * Tile, column = blockIdx.x * Tile + threadIdx.x;
  float sums[PerThread] = {};
  for (int base = 0; base < k; base += Tile) {
    for (int i = threadIdx.y; i < Tile; i += blockDim.y) {
      int x = threadIdx.x;
      as[i][x] = row + i < m && base + x < k ? a[(row + i) * k + base + x] : half(0.f);
      bs[i][x] = base + i < k && column < n ? b[(base + i) * n + column] : half(0.f);
    }
    __syncthreads();
    for (int j = 0; j < Tile; ++j)
      for (int i = 0; i < PerThread; ++i)
        sums[i] = fmaf(__half2float(as[threadIdx.y * PerThread + i][j]), __half2float(bs[j][threadIdx.x]), sums[i]);
    __syncthreads();
  }
  for (int i = 0; i < PerThread; ++i) {
    int y = row + threadIdx.y * PerThread + i;
    if (y < m && column < n)
      c[y * n + column] = alpha * sums[i] + beta * c[y * n + column];
  }
}

int main() {
  constexpr int batch = 2, m = 33, n = 40, k = 50;
  std::vector<half> a(batch * m * k), b(batch * k * n);
  std::vector<float> c(batch * m * n);
  for (half &x : a)
    x = __float2half(randomFloat());
  for (half &x : b)
    x = __float2half(randomFloat());
  for (float &x : c)
    x = randomFloat();
  Device<half> da(a), db(b);
  Device<float> dc(c);
  gemm<16, 4><<<dim3((n + 15) / 16, (m + 15) / 16, batch), dim3(16, 4)>>>(da, db, dc, m, n, k, 0.5f, 2.f);
  std::vector<float> result = dc.read();
  double worst = 0;
  for (int z = 0; z < batch; ++z)
    for (int y = 0; y < m; ++y)
      for (int x = 0; x < n; ++x) {
        double sum = 0, size = 0;
        for (int i = 0; i < k; ++i) {
          double product = double(__half2float(a[(z * m + y) * k + i])) * __half2float(b[(z * k + i) * n + x]);
          sum += product;
          size += __builtin_fabs(product);
        }
        int at = (z * m + y) * n + x;
        double exact = 0.5 * sum + 2.0 * c[at];
        worst = __builtin_fmax(worst, __builtin_fabs(result[at] - exact) / (0.5 * size + 2 * __builtin_fabs(c[at])));
      }
  expect("products", worst, (k + 2) * 0x1p-24);
  return finish("gemm");
}
