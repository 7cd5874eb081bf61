/** Runs random commands against the S3 API and the model; an answer that differs throws. */
import { expect } from 'vitest'
import type { modelClient } from './model-client.ts'
import { answered, ModelContext } from './model-context.ts'
import { compareList } from './model-lists.ts'
import * as objects from './model-objects.ts'
import type { ModelRun, Step } from './model-steps.ts'
import * as uploads from './model-uploads.ts'

const buckets = [{ bucket: 0 }, { bucket: 1 }]

/** Makes both buckets, and finally deletes all versions, then the buckets with the uploads that are open. */
export async function runModel(
  client: Pick<ReturnType<typeof modelClient>, 'send'>,
  names: readonly [string, string],
  { keys, steps }: ModelRun,
): Promise<void> {
  const on = new ModelContext(client, names, keys)
  for (const bucket of buckets) await answered(200, '', on.send('PUT', bucket, ''))
  for (const [key, body] of keys.entries()) {
    await objects.put(on, { do: 'put', bucket: 0, key, body, note: undefined, only: undefined })
  }
  for (const step of steps) await runStep(on, step)
  for (const bucket of buckets) {
    for (const { key, id } of on.model(bucket).all()) await objects.removeVersion(on, bucket, key, id)
    await answered(204, '', on.send('DELETE', bucket, ''))
  }
}

async function runStep(on: ModelContext, step: Step): Promise<void> {
  switch (step.do) {
    case 'put':
      return await objects.put(on, step)
    case 'read':
      return await objects.read(on, step)
    case 'delete':
      return await objects.mark(on, step)
    case 'delete version':
      return await objects.deleteVersion(on, step)
    case 'delete many':
      return await objects.deleteMany(on, step)
    case 'copy':
      return await objects.copy(on, step)
    case 'create upload':
      return await uploads.createUpload(on, step)
    case 'part':
      return await uploads.putPart(on, step)
    case 'copy part':
      return await uploads.copyPart(on, step)
    case 'complete':
      return await uploads.complete(on, step)
    case 'complete again':
      return await uploads.completeAgain(on, step)
    case 'abort':
      return await uploads.abort(on, step)
    case 'list parts':
      return await uploads.listParts(on, step)
    case 'remove bucket':
      return await removeBucket(on, step)
    case 'list':
      return await compareList(on, step)
  }
}

/** Only a bucket without versions is removed, with its uploads; then it is made again. */
async function removeBucket(on: ModelContext, step: { readonly bucket: number }): Promise<void> {
  const sent = on.send('DELETE', step, '')
  if (!on.model(step).isEmpty) return void (await answered(409, 'BucketNotEmpty', sent))
  await answered(204, '', sent)
  on.model(step).uploads.length = 0
  await answered(404, 'NoSuchBucket', on.send('GET', step, ''))
  const { headers } = await answered(200, '', on.send('PUT', step, ''))
  expect(headers.location).toBe(`/${on.names[step.bucket]}`)
}
