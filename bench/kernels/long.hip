// About three thousand instructions in a row, to time decoding.
extern "C" __attribute__((global)) void straight(float *x) {
  float a = x[0], b = x[1], c = x[2];
#pragma clang loop unroll(full)
  for (int i = 0; i < 750; ++i) {
    a = a * b + c;
    b = b * c - a;
    c = __builtin_fabsf(a) + b * 0.5f;
  }
  x[0] = a, x[1] = b, x[2] = c;
}
