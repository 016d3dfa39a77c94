// Pinocchio in a loop of C++: microseconds a call of forward and inverse dynamics, mass matrix, derivatives,
// and of how speeds move the last link.
// Input: count of links, then for each: parent, kind (0 x, 1 y, 2 z, 3 free), place, mass, centre, inertia.
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <ctime>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace pin = pinocchio;

static double best(const std::function<void()> &call)
{
    double least = 1e9;
    long calls = 1;
    for (int round = 0; round < 12; round++) {
        const clock_t start = clock();
        for (long i = 0; i < calls; i++)
            call();
        const double seconds = double(clock() - start)/CLOCKS_PER_SEC;
        if (seconds < 0.02) {
            calls *= 4;
            round--;
        } else
            least = std::min(least, seconds/calls);
    }
    return 1e6*least;
}

int main(int, char **arguments)
{
    std::FILE *file = std::fopen(arguments[1], "r");
    int count, parent, kind;
    double v[10];
    pin::Model model;
    model.gravity.linear() << 0, 0, -9.81;
    if (std::fscanf(file, "%d", &count) != 1)
        return 1;
    std::vector<pin::JointIndex> joints;
    for (int i = 0; i < count; i++) {
        if (std::fscanf(file, "%d %d", &parent, &kind) != 2)
            return 1;
        for (double &x : v)
            if (std::fscanf(file, "%lf", &x) != 1)
                return 1;
        const pin::SE3 at(Eigen::Matrix3d::Identity(), Eigen::Vector3d(v[0], v[1], v[2]));
        const pin::JointIndex on = parent < 0 ? 0 : joints[parent];
        const std::string name = "j" + std::to_string(i);
        pin::JointIndex j;
        if (kind == 0) j = model.addJoint(on, pin::JointModelRX(), at, name);
        else if (kind == 1) j = model.addJoint(on, pin::JointModelRY(), at, name);
        else if (kind == 2) j = model.addJoint(on, pin::JointModelRZ(), at, name);
        else j = model.addJoint(on, pin::JointModelFreeFlyer(), at, name);
        const Eigen::Vector3d centre(v[4], v[5], v[6]), inertia(v[7], v[8], v[9]);
        model.appendBodyToJoint(j, pin::Inertia(v[3], centre, inertia.asDiagonal()), pin::SE3::Identity());
        joints.push_back(j);
    }
    pin::Data data(model);
    Eigen::VectorXd q = pin::neutral(model), u = Eigen::VectorXd::Constant(model.nv, 0.1);
    q = pin::integrate(model, q, u);
    const Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv);
    std::printf("{\"forward\": %.4f, \"inverse\": %.4f, ", best([&] { pin::aba(model, data, q, u, tau); }),
        best([&] { pin::rnea(model, data, q, u, tau); }));
    std::printf("\"mass\": %.4f, \"slopes\": %.4f, ", best([&] { pin::crba(model, data, q); }),
        best([&] { pin::computeABADerivatives(model, data, q, u, tau); }));
    pin::Data::Matrix6x J = pin::Data::Matrix6x::Zero(6, model.nv);
    std::printf("\"frame\": %.4f}\n", best([&] { pin::computeJointJacobian(model, data, q, joints.back(), J); }));
    return 0;
}
