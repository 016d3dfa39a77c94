/* Handing over steps in other coordinates: rows of numbers in, the same rows multiplied by a sparse matrix out. */

/* y = A x for each of some rows x; A by rows: the entries of row i are those from begin[i] to begin[i + 1] */
void lw_convert(long rows, long width, const double *x, long results, const int *begin, const int *column,
                const double *entry, long stride, double *y) {
    for (long k = 0; k < rows; k++, x += width, y += stride)
        for (long i = 0; i < results; i++) {
            double sum = 0.0;
            for (int a = begin[i]; a < begin[i + 1]; a++) sum += entry[a] * x[column[a]];
            y[i] = sum;
        }
}
