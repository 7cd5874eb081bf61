/** Imports every step of this plugin that has probes, so that these are registered. */
import '../compaction/compact-packs.ts'
import '../sealing/seal-pack.ts'
import '../stored/pack-stored.ts'
