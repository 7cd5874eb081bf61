import { asyncProperty } from 'fast-check'
import { expect, test } from 'vitest'
import { assertRuns } from '../testing/fuzz-runs.ts'
import { modelClient } from '../testing/model-client.ts'
import { runModel } from '../testing/model-run.ts'
import { modelRuns } from '../testing/model-steps.ts'
import { owner, startStoredServer } from '../testing/test-server.ts'

const stepsMax = 60
/** A failure is shrunk within it. `npm run fuzz` sets another limit. */
const testMsMax = process.env.SVC_FUZZ_FACTOR === undefined ? 240_000 : 0

test.each([
  ['the database and in files', 60, {}],
  ['files', 10, { storage: { databaseBytesMax: 0 } }],
] as const)(
  'with bytes in %s random commands have the answers of a model, and nothing stays when all is deleted',
  async (_where, runsOfSuite, options) => {
    await using server = await startStoredServer(options)
    using client = modelClient(server.port, owner)
    let runs = 0
    const property = asyncProperty(modelRuns(stepsMax), async (run) => {
      runs += 1
      // A failed run leaves its buckets behind.
      const { usedBytes } = server.storage.cache.stats()
      await runModel(client, [`model-${runs}-a`, `model-${runs}-b`], run)
      // A read ends after the client has its last byte, and holds the bytes until then.
      const rest = () => [server.storage.openCount(), server.storage.cache.stats().usedBytes, server.storage.cache.stats().reservedBytes]
      await expect.poll(rest).toEqual([0, usedBytes, 0])
    })
    await assertRuns(property, runsOfSuite)
    await server.storage.expectSound()
  },
  testMsMax,
)
