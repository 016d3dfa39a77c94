/* MuJoCo in a loop of C: microseconds a call of mj_forward. Usage: dynamics_mujoco MODEL */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <time.h>

int main(int count, char **arguments)
{
    mjModel *model = count > 1 ? mj_loadModel(arguments[1], 0) : 0;
    if (!model)
        return 1;
    mjData *data = mj_makeData(model);
    double best = 1e9;
    long calls = 1;
    for (int i = 0; i < model->nv; i++)
        data->qvel[i] = 0.1;
    for (int round = 0; round < 12; round++) {
        const clock_t start = clock();
        for (long i = 0; i < calls; i++)
            mj_forward(model, data);
        const double seconds = (double)(clock() - start)/CLOCKS_PER_SEC;
        if (seconds < 0.02) {
            calls *= 4;
            round--;
        } else if (seconds/calls < best)
            best = seconds/calls;
    }
    printf("{\"forward\": %.4f}\n", 1e6*best);
    return 0;
}
