/** Imports every step of the storage that has probes, so that these are registered. */
import '../cache/capacity/evictor.ts'
import '../cache/fills/fill.ts'
import '../objects/put-object.ts'
import '../packs/pack-probes.ts'
