import { expect, test } from 'vitest'
import { ReplicaStrip } from './replica-strip.tsx'
import { createScreen, find } from './testing/dom.ts'

const failed = { copy_index: 2, status: 'failed' } as const
const stored = { copy_index: 0, status: 'committed', provider_id: '7' } as const

test('a strip has a slot for every copy that is wanted, in the order of the replicas', async () => {
  const { screen, render } = await createScreen()
  await render(<ReplicaStrip copies={[failed, stored]} requested={3} text />)
  const strip = find(screen, '[role=img]')
  expect(strip.getAttribute('aria-label')).toBe('1 of 3 copies: Stored, Failed, Pending')
  expect(strip.getAttribute('data-tooltip')).toBe('Replica 1, provider 7: Stored; Replica 2: Failed; Replica 3: Pending')
  expect(screen.textContent).toBe('1 of 3')
})

test('a strip says when nothing makes the missing copies, or when they wait; work needs no word', async () => {
  const { screen, render } = await createScreen()
  await render(
    <>
      <ReplicaStrip copies={[stored]} requested={2} work="stuck" />
      <ReplicaStrip copies={[stored]} requested={2} work="waiting" />
      <ReplicaStrip copies={[stored]} requested={2} work="working" />
    </>,
  )
  expect(find(screen, '[role=img]').getAttribute('aria-label')).toBe('1 of 2 copies, stuck: Stored, Pending')
  expect(screen.textContent).toBe('stuckwaiting')
})

test('copies beyond the wanted number have slots too, and an object that needs no copies says so', async () => {
  const { screen, render } = await createScreen()
  await render(
    <>
      <ReplicaStrip copies={[stored, failed]} requested={1} />
      <ReplicaStrip copies={[]} requested={0} />
    </>,
  )
  expect(find(screen, '[role=img]').getAttribute('aria-label')).toBe('1 of 2 copies: Stored, Failed')
  expect(screen.textContent).toBe('None wanted')
})
