/* What straight text asks of the library. Whoever includes this before lanes.h does without the library's own headers,
   which take as long to read as a short function. */
#ifndef LIBRARY_H
#define LIBRARY_H
typedef __SIZE_TYPE__ size_t;
#define offsetof(type, field) __builtin_offsetof(type, field)
#define NAN __builtin_nanf("")
void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
double sqrt(double), exp(double), log(double), pow(double, double), tanh(double);
double sin(double), cos(double), tan(double), asin(double), acos(double), atan(double), atan2(double, double);
double fabs(double), fmin(double, double), fmax(double, double);
#endif
