// ViennaCL: a product of matrices and a conjugate gradient solver on the device, against the host.
#define VIENNACL_WITH_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/ocl/backend.hpp>
#include <viennacl/vector.hpp>

#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

int main() {
    const unsigned size = 500;
    std::vector<std::map<unsigned, float>> host(size);
    for (unsigned i = 0; i < size; ++i) {
        host[i][i] = 4;
        if (i > 0) host[i][i - 1] = -1;
        if (i + 1 < size) host[i][i + 1] = -1;
    }
    viennacl::compressed_matrix<float> matrix(size, size);
    viennacl::copy(host, matrix);
    std::vector<float> ones(size, 1.0f), seen(size);
    viennacl::vector<float> right_side(size);
    viennacl::copy(ones, right_side);
    const viennacl::vector<float> solved =
        viennacl::linalg::solve(matrix, right_side, viennacl::linalg::cg_tag(1e-6, 100));
    const viennacl::vector<float> again = viennacl::linalg::prod(matrix, solved);
    viennacl::copy(again, seen);
    float farthest = 0;
    for (const float value : seen) farthest = std::fmax(farthest, std::fabs(value - 1));
    std::printf("%s\n", farthest < 1e-4f ? "right" : "wrong");
}
