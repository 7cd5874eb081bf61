/** Child process: puts objects, most with their bytes in the database, and kills itself with SIGKILL at a probe. */

import { openObjectStorage } from '../object-storage.ts'
import { killAtProbe } from './kill-at-probe.ts'
import { putUntilKilled } from './put-until-killed.ts'

const dir = killAtProbe()
const storage = await openObjectStorage({ dir, databaseBytesMax: 16 * 1024 })
// Every fifth body is too large for the database.
await putUntilKilled(storage, (n) => (n % 5 === 0 ? 2000 : 200))
