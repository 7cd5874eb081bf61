/** The steps of a whole round, in order, each with the comparison of its result. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreateBucketCommand, HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { bucket, type Client, type Round, type Step } from './client.ts'
import { digestOf, digestsIn, folder, listKeys, readRange, requireEqual, requireObject } from './round-files.ts'

type Rule = Pick<Step, 'before' | 'check'>

const rules = {
  'make a bucket': { check: ({ s3 }) => s3.send(new HeadBucketCommand({ Bucket: bucket })) },
  'upload a small file': { check: (round) => requireObject(round, 'small.bin') },
  'upload a large file': { check: (round) => requireObject(round, 'large.bin') },
  'upload in parts': {
    check: async (round) => requirePattern('the entity tag', await requireObject(round, 'parts.bin'), /-\d+$/),
  },
  list: {
    check: async (_round, output) => {
      for (const name of ['small.bin', 'large.bin', 'parts.bin']) requirePattern('the list', output, new RegExp(name))
    },
  },
  'upload a folder': {
    check: async (round) => requireEqual('the folder', await listKeys(round, 'files/'), digestsIn(join(round.dir, folder))),
  },
  'download a folder': {
    check: async ({ dir }) => requireEqual('the folder', digestsIn(join(dir, 'back')), digestsIn(join(dir, folder))),
  },
  'read a range': {
    check: async ({ dir }) =>
      requireEqual('the range', digestOf(readFileSync(join(dir, 'range.bin'))), digestOf(await readRange(join(dir, 'large.bin')))),
  },
  'copy on the server': { check: (round) => requireObject(round, 'copy.bin', 'parts.bin') },
  'move on the server': {
    check: async (round) => {
      await requireObject(round, 'moved.bin', 'parts.bin')
      requireEqual('the list of the old name', [...(await listKeys(round, 'copy.bin'))], [])
    },
  },
  'link for a download': {
    check: async ({ dir }, output) => {
      const answer = await fetch(urlIn(output), { signal: AbortSignal.timeout(requestMs) })
      requireEqual('the status', answer.status, 200)
      requireEqual('the object', digestOf(new Uint8Array(await answer.arrayBuffer())), digestOf(readFileSync(join(dir, 'small.bin'))))
    },
  },
  'link for an upload': {
    check: async (round, output) => {
      const body = readFileSync(join(round.dir, 'small.bin'))
      const answer = await fetch(urlIn(output), { method: 'PUT', body, signal: AbortSignal.timeout(requestMs) })
      requireEqual('the status', answer.status, 200)
      await requireObject(round, 'linked.bin', 'small.bin')
    },
  },
  'delete many objects': { check: async (round) => requireEqual('the folder', [...(await listKeys(round, 'files/'))], []) },
  'list versions': {
    before: ({ s3 }) => s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'small.bin', Body: 'newer '.repeat(100) })),
    check: async (_round, output) => requireEqual('the number of versions of small.bin', output.match(/^.*small.*$/gm)?.length, 2),
  },
  'remove the bucket': { check: ({ s3 }) => requireNoBucket(s3) },
} as const satisfies Readonly<Record<string, Rule>>

type StepName = keyof typeof rules
const requestMs = 60_000

/** The client has no command for a step. */
interface NotOffered {
  readonly reason: string
}
export const notOffered = (reason: string): NotOffered => ({ reason })

/** All steps that the client offers; the others with their reason. */
export function wholeRound(commands: Readonly<Record<StepName, string | NotOffered>>): Pick<Client, 'steps' | 'notOffered'> {
  const names = Object.keys(rules) as StepName[]
  return {
    steps: names.flatMap((name) => {
      const own = commands[name]
      return typeof own === 'string' ? [{ name, commands: own, ...(rules[name] as Rule) }] : []
    }),
    notOffered: Object.fromEntries(
      names.flatMap((name) => {
        const own = commands[name]
        return typeof own === 'string' ? [] : [[name, own.reason]]
      }),
    ),
  }
}

/** For clients that make no buckets. */
export const makeBucket = ({ s3 }: Round) => s3.send(new CreateBucketCommand({ Bucket: bucket }))

/** For steps whose output tells the result. */
export const prints =
  (pattern: RegExp): Step['check'] =>
  async (_round, output) =>
    requirePattern('the output', output, pattern)

function requirePattern(what: string, text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`${what} does not match ${pattern}: ${text.slice(0, 500)}`)
}

export async function requireNoBucket(s3: Round['s3']): Promise<void> {
  const status = await s3.send(new HeadBucketCommand({ Bucket: bucket })).then(
    () => 200,
    (error) => error.$metadata?.httpStatusCode,
  )
  requireEqual('the status of HeadBucket', status, 404)
}

function urlIn(output: string): string {
  const url = output.match(/https?:\/\/\S+/g)?.at(-1)
  if (url === undefined) throw new Error(`the output has no URL: ${output.slice(0, 500)}`)
  return url
}
