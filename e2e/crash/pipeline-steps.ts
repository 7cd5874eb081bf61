/** Imports every pipeline step, so that its probes are registered. */
import '../../plugins/storage/objects/put-object.ts'
import '../../plugins/storage/copies/commit-pieces.ts'
import '../../plugins/storage/copies/pull-pieces.ts'
import '../../plugins/storage/copies/store-content.ts'
import '../../plugins/storage/datasets/ensure-data-set.ts'
import '../../plugins/storage/cache/evictor.ts'
