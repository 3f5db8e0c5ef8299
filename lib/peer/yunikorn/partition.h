// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Partition: a cluster's nodes, queues and applications, and one scheduling decision a call.
//
//   Partition partition;
//   absl::Status status = partition.Configure(config);
//   partition.now = clock();
//   status = partition.AddNode("n1", total);
//   status = partition.AddApplication(application);
//   status = partition.UpdateAllocation(std::move(request));
//   while (std::optional<Result> result = partition.Cycle()) Bind(*result);
//   for (const Stop& stop : std::exchange(partition.stops, {})) StopPod(stop);
//
// The host calls; nothing happens in between. `now` is set by the host and only read here. Timers
// are the host's, too: it calls PlaceholderTimeout and CompletingTimeout when their time has come.
//
// The tables are public for reading, and so that a host can build a state directly. A host that
// writes to one keeps it consistent, and calls Rebuild.
#ifndef MUSTER_PEER_YUNIKORN_PARTITION_H_
#define MUSTER_PEER_YUNIKORN_PARTITION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/peer/yunikorn/config.h"
#include "lib/peer/yunikorn/kept_order.h"
#include "lib/peer/yunikorn/limits.h"
#include "lib/peer/yunikorn/node_order.h"
#include "lib/peer/yunikorn/objects.h"
#include "lib/peer/yunikorn/placement.h"
#include "lib/peer/yunikorn/resource.h"

namespace muster::yunikorn {

enum class ResultType : uint8_t {
  kAllocated,
  kAllocatedReserved,
  kReserved,
  kUnreserved,
  kReplaced
};

struct Result {
  ResultType type = ResultType::kAllocated;
  Index request = kNone;
  Index node = kNone;
  Index reserved_node = kNone;  // where the request was reserved, if that is another node
  int cancelled_reservations = 0;
};

enum class Termination : uint8_t { kUnknown, kStopped, kTimeout, kPreempted, kReplaced };

// The host shall stop a pod, and then confirm it by Release.
struct Stop {
  std::string application;
  std::string key;
  Termination type = Termination::kTimeout;
  Index beneficiary = kNone;  // the request that gets the room
};

// What the host can say about nodes beyond room; each may be empty, which permits all.
struct HostChecks {
  // May the request be on the node? `allocate` is false for a reservation or a node of its own
  // placeholder.
  std::function<bool(const Allocation& request, const Node& node, bool allocate)> predicate;
  // Returns how many of `victims` beyond the first `start` must go before the node fits, or -1.
  std::function<int(const Allocation& request, const Node& node, const std::vector<Index>& victims,
                    int start)>
      preemption;
};

class Partition {
 public:
  // --- the world

  Nanos now = 0;
  Nanos reservation_delay = 2 * kSecond;  // a younger request reserves no node
  TypeNames names;
  std::vector<Queue> queues;  // the first is root
  std::vector<Application> applications;
  std::vector<Allocation> allocations;
  std::vector<Node> nodes;
  HashMap<std::string, Index> application_index, node_index, foreign_index;
  Limits limits;
  Resource total = Resource::Nil();
  bool preemption = true;
  bool quota_preemption = false;
  bool bin_packing = false;
  HostChecks host;
  int reservations = 0;              // as the peer counts them: cancelled ones may still be counted
  uint64_t reservation_changes = 0;  // grows with each reservation that is made or ends
  uint64_t attempt_changes = 0;      // grows with each attempt at preemption and each backoff
  int placeholder_allocations = 0;

  // What the host shall stop, oldest first. The host clears it.
  std::vector<Stop> stops;

  // --- configuration

  // Takes a configuration, the first or a later one. Fails if CheckConfig does; nothing changes
  // then. Queues that are gone drain.
  absl::Status Configure(PartitionConfig config, ConfigChecks checks = ConfigChecks::kAll);
  // Removes draining and dynamic queues without applications.
  void CleanQueues();
  Index FindQueue(std::string_view path) const;  // kNone: there is none

  // --- nodes

  absl::Status AddNode(std::string_view id, const Resource& total, bool schedulable = true);
  absl::Status SetSchedulable(std::string_view id, bool schedulable);
  absl::Status SetCapacity(std::string_view id, const Resource& total);
  // What ran on a node that is removed: keys that are released, and those with a confirmed
  // replacement.
  struct Removed {
    std::vector<std::string> released, confirmed;
  };
  Removed RemoveNode(std::string_view id);
  std::vector<Index> NodesInOrder();

  // --- applications and requests

  // Places the application and lists it. Fails if no queue takes it.
  absl::Status AddApplication(Application application);
  // Returns the keys of what it had allocated.
  std::vector<std::string> RemoveApplication(std::string_view id);
  // Removes the applications that are Completed or Failed from their queues and from the list. The
  // peer does so some time after they ended.
  void RemoveEnded();
  // A request, or with a node an allocation; known keys are updated. `application_id` is empty for
  // foreign pods, `node_id` for requests.
  absl::Status UpdateAllocation(Allocation&& allocation, std::string_view application_id,
                                std::string_view node_id);
  // Adds the requests that fill(0, request) to fill(count - 1, request) write, in this order, as
  // UpdateAllocation does; those without resources, or with negative ones, are left out.
  // REQUIRES: the application has none of their keys.
  void AddNewRequests(Index application, size_t count,
                      absl::FunctionRef<void(size_t, Allocation&)> fill);
  // The host stopped a pod, or withdraws a request. Unknown keys do nothing; an empty key stands
  // for all of the application. Returns the key of what takes the place of a replaced placeholder.
  std::string Release(std::string_view application_id, std::string_view key, Termination type);
  // Reserves the node for the request, as of `create_time`. Does nothing where a reservation is not
  // possible any more.
  void RestoreReservation(std::string_view application_id, std::string_view key,
                          std::string_view node_id, Nanos create_time);
  // Sets from when on the queue's limit is enforced: `start` under an earlier configuration, moved
  // by what changed since, as Configure does.
  void RestoreQuotaStart(Index queue, Nanos start, const Resource& old_most, Nanos old_delay);
  void PlaceholderTimeout(std::string_view application_id);
  void CompletingTimeout(std::string_view application_id);

  // --- for a host that keeps the partition and reads applications anew (withdraw.cc)

  // Takes the application out as if it had never been there. Its reservations end.
  // REQUIRES: it is in a queue, its nodes are, too, and no amount was cut to what integers hold.
  void Withdraw(Index application);
  // Ends all reservations.
  void EndReservations();
  // Counts anew what decisions leave otherwise than a new partition has it: running applications,
  // reservations; and forgets why preemption refused requests.
  void Recount();

  // --- decisions

  // One decision, or none: for reservations, else for placeholders, else for requests. A new
  // reservation is no result.
  std::optional<Result> Cycle();
  std::optional<Result> TryReserved();
  std::optional<Result> TryPlaceholders();
  std::optional<Result> TryAllocate();
  // One walk over the queues with a lowered limit.
  void TryQuotaPreemption();
  // Requests that a larger cluster could hold, in order.
  std::vector<Index> OutstandingRequests();

  // --- numbers of queues

  Resource Headroom(Index queue) const;
  Resource MaxHeadroom(Index queue) const;  // without root
  Resource MaxResource(Index queue) const;  // the smallest of the limits up to root
  Resource MaxQueueSet(Index queue) const;  // the same without root
  Resource FairMax(Index queue) const;
  Resource ActualGuaranteed(Index queue) const;
  bool CanRun(Index queue, Index application) const;
  int32_t ExportedPriority(Index queue) const;
  std::vector<Index> SortedQueues(Index parent);
  std::vector<Index> SortedApplications(Index leaf, bool with_placeholders);

  // After the tables were written to. What follows from them is computed anew: indices, lists of
  // children and of applications, flags of allocations, priorities, the order of nodes. The host
  // writes the amounts of queues, applications and nodes, Queue::reserved, Node::available and the
  // public counts. kAsListed keeps the order of the table until the score of a node changes.
  enum class NodeSequence : uint8_t { kByScore, kAsListed };
  void Rebuild(NodeSequence sequence = NodeSequence::kByScore);

 private:
  friend class PreemptionRound;
  friend class PartitionSteps;  // tests: single steps of a decision
  struct NodePlace {
    double score = 0;
    uint64_t rank = 0;
  };

  // --- queues (queues.cc, queue_numbers.cc, rebuild.cc)
  absl::Status AddQueues(const std::vector<QueueConfig>& configs, Index parent);
  absl::StatusOr<Index> NewConfigured(const QueueConfig& config, Index parent);
  absl::StatusOr<Resource> ApplyConfig(Index queue, const QueueConfig& config);
  absl::Status UpdateQueues(const std::vector<QueueConfig>& configs, Index parent);
  absl::Status SetTemplate(Queue& queue, const TemplateConfig& config);
  void SetResources(Queue& queue, const Resource& guaranteed, const Resource& most);
  void MergeProperties(Index queue);
  void ReadProperties(Index queue, const Resource& old_most);
  void SetQuotaStart(Queue& queue, const Resource& old_most, Nanos old_delay);
  void MarkForRemoval(Index queue);
  absl::Status AddChild(Index parent, Index child);
  Index NewQueue(std::string_view name, Index parent);
  absl::StatusOr<Index> NewDynamic(std::string_view name, bool leaf, Index parent);
  absl::StatusOr<Index> CreateQueues(const std::string& path, const UsageKey& user);
  bool MaySubmit(Index queue, const UsageKey& user) const;
  absl::StatusOr<std::string> Place(const Application& application) const;
  void RemoveQueue(Index queue);
  void CleanBelow(Index queue);
  void SetNodePolicy(const PartitionConfig& config);
  int DepthOf(Index queue) const;
  void RebuildQueues();
  void RebuildApplications();
  void RebuildNodes(NodeSequence sequence);

  // --- numbers of queues (queue_numbers.cc)
  void IncPending(Index queue, const Resource& delta);
  void DecPending(Index queue, const Resource& delta);
  static bool FitsQueue(const Queue& queue, const Resource& delta);
  bool FitsQueues(Index queue, const Resource& delta) const;
  bool TryIncAllocated(Index queue, const Resource& delta);
  void CountAllocated(Index queue, const Resource& delta);
  void IncAllocated(Index queue, const Resource& delta);
  bool DecAllocated(Index queue, const Resource& delta);
  void IncPreempting(Index queue, const Resource& delta);
  void DecPreempting(Index queue, const Resource& delta);
  void IncRunning(Index queue, Index application);
  void DecRunning(Index queue);
  void SetAllocating(Index queue, Index application);
  void CountPriority(Index application);
  void ForgetPriority(Index application);
  void PassPriority(Index queue);
  Resource HeadroomBelow(const Queue& queue, const Resource& parent) const;
  Resource MaxBelow(const Queue& queue, const Resource& parent) const;
  void AddTotal(const Resource& delta);
  void Touched(Index queue);
  void TouchedApplication(Index application);

  // --- orders (orders.cc)
  const std::vector<Index>& ChildrenInOrder(Index parent);
  const std::vector<Index>& ApplicationsInOrder(Index leaf);
  int CompareQueues(const Queue& parent, Index left, Index right);
  bool SortChildren(Index parent, std::vector<Index>& items);
  bool SortLeaf(Index leaf, std::vector<Index>& items);
  int CompareApplications(const Queue& leaf, Index left, Index right) const;
  double ShareOfQueue(Index queue);
  const Resource& FairMaxOf(Index queue);
  bool ShareNeedsFairMax(Index queue);

  // --- nodes (nodes.cc)
  double ScoreOf(const Node& node) const;
  void Notify(Index node);
  void GotRoom(Index node);
  void RankAsNew(Index node);
  void RankNode(Index node);
  void RankAllNodes();
  void ScoreAllNodes();
  void ReadWeights();
  void RefreshAvailable(Node& node);
  bool AddToNode(Index node, Index allocation, bool force);
  Index RemoveFromNode(Index node, std::string_view key);
  bool TakeFromNode(Index node, Index allocation);
  Index FindOnNode(const Node& node, std::string_view key) const;
  void RemoveWithNode(Index allocation, Removed& removed);
  bool Permits(Index request, Index node, bool allocate) const;
  bool MayAllocate(const Node& node, Index request) const;
  bool IsReservedFor(const Node& node, Index request) const;
  template <class Accept>
  Index FirstNode(const Resource& ask, bool need_free, Accept accept);

  // --- applications (applications.cc, requests.cc)
  Index FindApplication(std::string_view id) const;
  bool Handle(Index application, AppEvent event);
  void Enter(Index application, AppState state);
  Index NewApplication();
  void FreeApplication(Index application);
  void EndOperation() {
    if (!loose_.empty()) FreeLoose();
  }
  void FreeLoose();
  void AddRequest(Index application, Index request);
  void AddPending(Index application, const Resource& resource);
  void ListRequest(Index application, Index request);
  void InsertSorted(Application& application, Index request);
  void RemoveRequests(Index application);
  void RemoveRequest(Index application, std::string_view key);
  void AfterRequestsLeft(Index application, const Resource& delta);
  void Unlist(Application& application, Index request);
  bool Allocate(Index request);
  bool Deallocate(Index request);
  void UpdateResource(Index request, const Resource& resource);
  void AddAllocation(Index allocation, bool replaced);
  Index RemoveAllocation(Index application, std::string_view key, Termination type);
  void AfterPlaceholderLeft(Index application, Index allocation, Termination type);
  Index ReplaceAllocation(Index application, std::string_view key);
  std::vector<Index> RemoveAllAllocations(Index application);
  const std::vector<Index>& AllocationsOf(Application& application);
  std::span<const Index> AllocationsOn(Node& node);
  std::vector<Index> PlaceholdersOf(Application& application);
  Index FindAllocation(Application& application, std::string_view key);
  bool HasNothing(const Application& application) const;
  bool CanReplace(const Application& application, const Allocation& request) const;
  void RemoveFromQueue(Index application);
  void StopAll(const std::vector<Index>& allocations, Termination type, Index beneficiary = kNone);
  absl::Status ApplyTags(Index queue, const Application& application);
  std::vector<Index> ReleasePlaceholders(Application& application);
  std::string ReleaseAllocations(Index application, std::string_view key, Termination type);
  void SwapOnNode(Index placeholder, Index real, const Resource& delta);
  std::vector<Index> MarkReleased(const std::vector<Index>& allocations);
  absl::Status UpdateForeign(Index allocation, std::string_view node_id);
  void Recover(Index application, Index allocation, Index node);
  Index NewAllocation();  // as Allocation() is
  Index NewAllocation(Allocation&& allocation);
  void Loosen(Index allocation);

  // --- decisions (allocate.cc, reserve.cc, placeholders.cc)
  std::optional<Result> TryAllocateIn(Index queue);
  std::optional<Result> TryAllocateLeaf(Index leaf);
  std::optional<Result> TryApplication(Index application, const Resource& headroom,
                                       int& preemptions_left);
  std::optional<Result> TryRequest(Index request, const Resource& headroom, int& preemptions_left,
                                   bool& tried_nodes);
  std::optional<Result> TryRequiredNode(Index request);
  std::optional<Result> TryNodes(Index request);
  bool TryNode(Index node, Index request);
  bool KnownUnfit(Allocation& request, bool reserves) const;
  std::optional<Result> ReserveNode(Index request, bool refused);
  std::optional<Result> Commit(Result result);
  std::optional<Result> TryReservedIn(Index queue);
  std::optional<Result> TryReservedApplication(Index application, const Resource& headroom);
  std::optional<Result> TryOtherNodes(const Reservation& reservation);
  std::optional<Result> TryPlaceholdersIn(Index queue);
  std::optional<Result> TryPlaceholderApplication(Index application);
  std::optional<Result> ReplaceElsewhere(Index request, Index placeholder);
  std::optional<Result> TryReplace(Index request, Index placeholder);
  void PairUp(Index request, Index placeholder, Index node);
  bool Reserve(Index application, Index node, Index request);
  void CountReservation(Index application);
  int Unreserve(Index application, Index request);
  void CommitReservation(const Result& result);
  int CancelReservations(Index node);
  const Reservation* FindReservation(const Application& application, Index request) const;
  void CountReservations(Index queue, Index application, int released);
  void OutstandingIn(Index queue, const Resource& parent_headroom, std::vector<Index>& found,
                     Resource& total_found);
  Resource OutstandingOf(Index application, Resource headroom, Resource user_headroom,
                         std::vector<Index>& found) const;

  // --- preemption (preemption_round.cc, other_preemption.cc)
  bool MayPreempt(Index request) const;
  std::optional<Result> TryPreemption(Index request, int& preemptions_left, bool nodes_tried);
  void TryRequiredNodePreemption(Index node, Index request);
  void TryQuotaPreemptionIn(Index queue);
  void PreemptOverQuota(Index queue);
  void PreemptInLeaf(Index leaf, const Resource& preemptable);
  void DivideQuota(Index queue, const Resource& preemptable);
  Resource QuotaPreemptable(Index queue) const;
  Resource PreemptableOf(Index queue) const;

  std::vector<KeptOrder> child_orders_, application_orders_;  // by queue
  std::vector<Resource> fair_max_;                            // by queue
  std::vector<uint64_t> fair_max_epoch_, order_epoch_;
  std::vector<uint8_t> children_have_limits_;  // by queue, as of its order_epoch_
  uint64_t epoch_ = 1;                         // of limits: shares of an earlier one are stale
  std::vector<Rule> rules_;
  std::vector<double> weights_;  // by type
  std::map<std::string, double> weights_by_name_;
  NodeOrder order_;
  std::vector<NodePlace> places_;
  std::vector<Index> nodes_by_id_;
  std::vector<Index> better_nodes_;  // nodes that got room, oldest first
  uint64_t better_before_ = 1;       // how many such there were before these
  std::vector<Index> loose_, free_allocations_, free_applications_, ended_;
  uint32_t next_usage_ = 0;
};

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_PARTITION_H_
