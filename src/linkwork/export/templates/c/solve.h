/* @title@: the equations solved with the constraints that hold. */
#ifndef @NAME@_SOLVE_H
#define @NAME@_SOLVE_H

#include "@name@.h"

#define @NAME@_SIZE (@NAME@_SPEEDS + @NAME@_MULTIPLIERS + @most_wanted@)

/* the numbers of the equations at a state: M a + G' lambda = f, G a = c; constraints g and their rates dg */
typedef struct {
    double M[@NAME@_SPEEDS*@NAME@_SPEEDS], G[@NAME@_MULTIPLIERS*@NAME@_SPEEDS], f[@NAME@_SPEEDS];
    double c[@NAME@_MULTIPLIERS], g[@NAME@_MULTIPLIERS], dg[@NAME@_MULTIPLIERS];
} @name@_numbers;

/* the matrix of M and some rows, and its factors */
typedef struct {
    int rows, pivot[@NAME@_SIZE];
    double exact[@NAME@_SIZE*@NAME@_SIZE], lu[@NAME@_SIZE*@NAME@_SIZE];
} @name@_saddle;

void @name@_look(const @name@ *m, double t, const double y[], @name@_numbers *at);
/* the constraints that hold, by their numbers; how many */
int @name@_list(const @name@ *m, int list[]);
/* factorise a square matrix of n rows, in place; 0 if that succeeds */
int @name@_eliminate(double A[], int n, int pivot[]);
/* solve with its factors, in place */
void @name@_substitute(const double A[], int n, const int pivot[], double x[]);
/* factorise M with some rows J, which may depend on each other; 0 if that succeeds */
int @name@_factorise(@name@_saddle *s, const double M[], const double J[], int rows);
/* M x + J' lambda = f, J x = b: x, then lambda. What is NULL is zero */
void @name@_solve(const @name@_saddle *s, const double f[], const double b[], double x[]);
/* the same for some constraints of a state, given by their numbers */
int @name@_hold(@name@_saddle *s, const @name@_numbers *at, const int list[], int rows);

#endif
