import { expect, test } from 'vitest'
import { findBags } from './check-bags.ts'

test.each([
  'function store(deps: Pipeline) {}',
  'const store = ({ clock }: Pipeline) => clock',
  'function store(deps: Readonly<Omit<Pipeline, "clock">>) {}',
  'type StoreDeps = Pipeline & { readonly x: number }',
  'interface StoreDeps extends Pipeline {}',
])('finds a whole bag of dependencies: %s', (code) => {
  expect(findBags(`\n${code}`)).toEqual([{ bag: 'Pipeline', line: 2 }])
})

test.each([
  "function store(deps: Pick<Pipeline, 'clock'>) {}",
  "type StoreDeps = Pick<Pipeline, 'clock'> & { readonly x: number }",
  "function store(schedule: Pipeline['schedule']) {}",
  'function pipelineOf(): Pipeline { return pipeline }',
  "const pipeline = defineService<Pipeline>('pipeline')",
])('allows parts of a bag, and its making: %s', (code) => {
  expect(findBags(code)).toEqual([])
})
