/*
 * grid.cpp - the blocks of a launch
 */

#include "grid.h"

#include "block.h"
#include "cluster.h"
#include "order.h"

#include <algorithm>
#include <memory>
#include <random>

namespace vgpu
{

namespace
{

/* Blocks, with a shuffled order; of clusters at least two. */
constexpr unsigned most_in_flight = 8;

/* Made once, then used by launch after launch. */
Block &slot(unsigned i)
{
    static auto *slots = new std::vector<std::unique_ptr<Block>>;
    while (slots->size() <= i) {
        slots->push_back(std::make_unique<Block>());
        slots->back()->slot = (unsigned)slots->size() - 1;
        if (settings().races)
            slots->back()->watch = std::make_unique<RaceWatch>();
    }
    return *(*slots)[i];
}

void prepare(Block &block, const Launch &l, uint64_t seed)
{
    block.grid.grid_dim = dimensions(l.grid);
    block.grid.block_dim = dimensions(l.block);
    block.grid.dynamic_shared = (uint32_t)l.dynamic_shared;
    block.code = l.kernel->code;
    block.parameters = l.parameters.data();
    block.variables = l.kernel->module->addresses[l.device].data();
    block.pauses = settings().blocks.how == Order::shuffled;
    prepare_block(block, seed + block.slot);
}

void start(Block &block, const Launch &l, size_t number)
{
    size_t row = number / l.grid.x;
    block.grid.block = {(uint32_t)(number % l.grid.x),
                        (uint32_t)(row % l.grid.y), (uint32_t)(row / l.grid.y)};
    block.grid.cluster_size = l.cluster;
    block.grid.cluster_rank = (uint32_t)(number % l.cluster);
    block.shared.reset(*l.kernel, l.dynamic_shared);
    if (block.watch)
        block.watch->start(block.threads, number);
    start_block(block);
}

/* The clusters of a launch, by the order of blocks: those that are in flight,
 * and their blocks in the order of their turns. */
class Flight
{
  public:
    explicit Flight(const Launch &launch)
        : l(launch), together(settings().blocks.how == Order::shuffled)
    {
        static uint64_t launches;
        seed = launches++;
        random.seed((unsigned)(settings().blocks.seed + seed));
        size_t count = (size_t)l.grid.x * l.grid.y * l.grid.z / l.cluster;
        order = make_order(settings().blocks, count, seed);
        size_t most = std::max(most_in_flight / l.cluster, 2u);
        clusters.resize(std::min(together ? most : 1, count));
        for (unsigned i = 0; i < clusters.size(); i++) {
            for (unsigned rank = 0; rank < l.cluster; rank++) {
                Block &block = slot(i * l.cluster + rank);
                prepare(block, l, seed);
                block.cluster = &clusters[i];
                clusters[i].blocks.push_back(&block);
            }
            start_next(clusters[i]);
        }
    }

    /* The next block in turn, or nullptr: all have ended. */
    Block *next()
    {
        std::vector<Block *> &can = candidates;
        can.clear();
        for (Block *block : flying)
            if (!block->ready.empty())
                can.push_back(block);
        if (can.empty())
            return nullptr;
        return can[together ? random() % can.size() : 0];
    }

    void ended(Block &block)
    {
        Cluster &cluster = *block.cluster;
        flying.erase(std::find(flying.begin(), flying.end(), &block));
        if (cluster.alive == 0 && started < order.size())
            start_next(cluster);
    }

  private:
    void start_next(Cluster &cluster)
    {
        size_t first = (size_t)order[started++] * l.cluster;
        for (unsigned rank = 0; rank < l.cluster; rank++)
            start(*cluster.blocks[rank], l, first + rank);
        start_cluster(cluster);
        for (uint32_t rank : make_order(settings().blocks, l.cluster, first))
            flying.push_back(cluster.blocks[rank]);
    }

    const Launch &l;
    bool together;
    uint64_t seed;
    std::minstd_rand random;
    std::vector<uint32_t> order;
    size_t started = 0;
    std::vector<Cluster> clusters;
    std::vector<Block *> flying, candidates;
};

} // namespace

FaultReport run_grid(const Launch &l)
{
    races_start_launch();
    Flight flight(l);
    while (Block *block = flight.next()) {
        if (run_block(*block))
            continue;
        if (block->fault.happened)
            return block->fault;
        flight.ended(*block);
    }
    return {};
}

} // namespace vgpu
