// Heat in a plane: five points, a tile with its halo in dynamic LDS, several steps.
#include "check.h"

constexpr int Side = 16;

__global__ void __launch_bounds__(256) step(const double *in, double *out, int width, int height, double rate) {
  extern __shared__ double tile[];
  auto at = [&](int x, int y) -> double & { return tile[(y + 1) * (Side + 2) + x + 1]; };
  int gx = blockIdx.x * Side + threadIdx.x, gy = blockIdx.y * Side + threadIdx.y;
  auto load = [&](int x, int y) { return x >= 0 && y >= 0 && x < width && y < height ? in[y * width + x] : 0; };
  int x = threadIdx.x, y = threadIdx.y;
  at(x, y) = load(gx, gy);
  if (x == 0)
    at(-1, y) = load(gx - 1, gy);
  if (x == Side - 1)
    at(Side, y) = load(gx + 1, gy);
  if (y == 0)
    at(x, -1) = load(gx, gy - 1);
  if (y == Side - 1)
    at(x, Side) = load(gx, gy + 1);
  __syncthreads();
  if (gx < width && gy < height)
    out[gy * width + gx] =
        at(x, y) + rate * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - 4 * at(x, y));
}

int main() {
  constexpr int width = 53, height = 37, steps = 4;
  std::vector<double> host(width * height);
  for (double &x : host)
    x = randomFloat();
  Device<double> a(host), b(host.size());
  double *from = a, *to = b;
  for (int i = 0; i < steps; ++i) {
    hipLaunchKernelGGL(step, dim3((width + Side - 1) / Side, (height + Side - 1) / Side), dim3(Side, Side),
                       (Side + 2) * (Side + 2) * sizeof(double), 0, from, to, width, height, 0.2);
    double *other = from;
    from = to, to = other;
  }
  std::vector<double> result = a.read(), next(host.size());
  for (int i = 0; i < steps; ++i) {
    auto load = [&](int x, int y) { return x >= 0 && y >= 0 && x < width && y < height ? host[y * width + x] : 0; };
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        next[y * width + x] = load(x, y) + 0.2 * (load(x - 1, y) + load(x + 1, y) + load(x, y - 1) + load(x, y + 1) -
                                                  4 * load(x, y));
    host.swap(next);
  }
  double worst = 0;
  for (size_t i = 0; i < host.size(); ++i)
    worst = __builtin_fmax(worst, __builtin_fabs(host[i] - result[i]));
  expect("temperature", worst, steps * 8 * 0x1p-53);
  return finish("stencil");
}
