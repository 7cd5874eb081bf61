/** Child process: puts objects, some of several contents, and kills itself with SIGKILL at a probe. */

import { openObjectStorage } from '../object-storage.ts'
import { killAtProbe } from './kill-at-probe.ts'
import { putUntilKilled } from './put-until-killed.ts'

const dir = killAtProbe()
const storage = await openObjectStorage({ dir, parts: { bytesMax: 50_000, roomWaitMs: 1000, roomWaitMsMax: 1000, roomPollMs: 10 } })
// Every fifth body has several chunks, each of which becomes a content.
await putUntilKilled(storage, (n) => (n % 5 === 0 ? 20_000 : 20))
