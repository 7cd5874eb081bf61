/** Imports every step of the pipeline, so that its probes are registered. */
import '../copies/batches/commit-pieces.ts'
import '../copies/ingress/park-uploaded.ts'
import '../copies/placing/store-content.ts'
import '../copies/pulls/pull-pieces.ts'
import '../datasets/ensure-data-set.ts'
