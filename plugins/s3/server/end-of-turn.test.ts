import { expect, test } from 'vitest'
import { endOfTurn } from './end-of-turn.ts'

test('callers of one turn of the event loop continue together, after its other work, and later callers in a turn of their own', async () => {
  const steps: string[] = []
  const call = async (name: string) => {
    steps.push(`${name} arrives`)
    await endOfTurn()
    steps.push(`${name} runs`)
    await null
    steps.push(`${name} goes on`)
  }
  const first = [call('a'), call('b')]
  await Promise.resolve()
  steps.push('turn goes on')
  await Promise.all(first)
  await call('c')
  expect(steps).toEqual([
    'a arrives',
    'b arrives',
    'turn goes on',
    'a runs',
    'b runs',
    'a goes on',
    'b goes on',
    'c arrives',
    'c runs',
    'c goes on',
  ])
})
