import { expect, test } from 'vitest'
import { type CommandCall, defineCommand } from './command.ts'

const declaration = {
  name: 'photo show',
  summary: 'Show a photo',
  examples: [],
  parameters: ['<album name>', '[photo]', '[words...]'],
  flags: {
    limit: { type: 'number', description: 'Rows' },
    wait: { type: 'duration', description: 'Longest wait', default: '5s' },
    order: { type: ['name', 'date'], description: 'Order' },
    tag: { type: 'list', description: 'Tags' },
    yes: { type: 'switch', description: 'Confirm' },
    owner: { type: 'text', description: 'Owner', required: true },
  },
} as const

interface Parameters {
  albumName: string
  photo: string | undefined
  words: readonly string[]
}

interface Flags {
  limit: number | undefined
  wait: number
  order: 'name' | 'date' | undefined
  tag: readonly string[]
  yes: boolean
  owner: string
}

const loads = <P, F>() => Promise.resolve({ run: async (_call: CommandCall<P, F>): Promise<undefined> => undefined })

test('code of a command compiles only if it reads what the declaration gives, by name and by type', () => {
  const commands = [
    defineCommand({ ...declaration, load: () => loads<Parameters, Flags>() }),
    // @ts-expect-error: the parameter is albumName
    defineCommand({ ...declaration, load: () => loads<{ album: string }, unknown>() }),
    // @ts-expect-error: the flag is limit
    defineCommand({ ...declaration, load: () => loads<unknown, { limt?: number | undefined }>() }),
    // @ts-expect-error: a number
    defineCommand({ ...declaration, load: () => loads<unknown, { limit: string | undefined }>() }),
    // @ts-expect-error: it may be missing
    defineCommand({ ...declaration, load: () => loads<unknown, { limit: number }>() }),
    // @ts-expect-error: it may be missing
    defineCommand({ ...declaration, load: () => loads<{ photo: string }, unknown>() }),
    // @ts-expect-error: it may be date
    defineCommand({ ...declaration, load: () => loads<unknown, { order: 'name' | undefined }>() }),
  ]
  expect(new Set(commands.map(({ name }) => name))).toEqual(new Set(['photo show']))
})
