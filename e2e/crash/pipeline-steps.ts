/** Imports every pipeline step, so that its probes are registered. */
import '../../plugins/storage/objects/put-object.ts'
import '../../plugins/replication/copies/batches/commit-pieces.ts'
import '../../plugins/replication/copies/ingress/park-uploaded.ts'
import '../../plugins/replication/copies/pulls/pull-pieces.ts'
import '../../plugins/replication/copies/placing/store-content.ts'
import '../../plugins/replication/datasets/ensure-data-set.ts'
import '../../plugins/storage/cache/capacity/evictor.ts'
import '../../plugins/storage/cache/fills/fill.ts'
