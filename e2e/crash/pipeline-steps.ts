/** Imports every pipeline step, so that its probes are registered. */
import '../../plugins/replication/testing/probes.ts'
import '../../plugins/storage/testing/probes.ts'
