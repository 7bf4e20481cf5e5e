// A matrix turned over in tiles of LDS; rows with a pitch, copied in two dimensions.
#include "check.h"

constexpr int Tile = 32, Rows = 8;

__global__ void transpose(const float *in, size_t inPitch, float *out, size_t outPitch, int width, int height) {
  __shared__ float tile[Tile][Tile + 1];
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int i = 0; i < Tile; i += Rows)
    if (x < width && y + i < height)
      tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * inPitch + x];
  __syncthreads();
  x = blockIdx.y * Tile + threadIdx.x, y = blockIdx.x * Tile + threadIdx.y;
  for (int i = 0; i < Tile; i += Rows)
    if (x < height && y + i < width)
      out[(y + i) * outPitch + x] = tile[threadIdx.x][threadIdx.y + i];
}

int main() {
  constexpr int width = 77, height = 45;
  std::vector<float> host(width * height), result(width * height);
  for (float &x : host)
    x = randomFloat();
  float *in, *out;
  size_t inPitch, outPitch;
  HIP(hipMallocPitch(&in, &inPitch, width * sizeof(float), height));
  HIP(hipMallocPitch(&out, &outPitch, height * sizeof(float), width));
  HIP(hipMemcpy2D(in, inPitch, host.data(), width * sizeof(float), width * sizeof(float), height,
                  hipMemcpyHostToDevice));
  HIP(hipMemset2D(out, outPitch, 0xff, height * sizeof(float), width));
  transpose<<<dim3((width + Tile - 1) / Tile, (height + Tile - 1) / Tile), dim3(Tile, Rows)>>>(
      in, inPitch / sizeof(float), out, outPitch / sizeof(float), width, height);
  HIP(hipMemcpy2D(result.data(), height * sizeof(float), out, outPitch, height * sizeof(float), width,
                  hipMemcpyDeviceToHost));
  int wrong = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      wrong += result[x * height + y] != host[y * width + x];
  expect("elements", wrong, 0);
  HIP(hipFree(in));
  HIP(hipFree(out));
  return finish("transpose");
}
