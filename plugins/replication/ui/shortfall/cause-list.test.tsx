import { afterEach, expect, test, vi } from 'vitest'
import { createScreen, find, textsOf } from '../../../../ui/src/kit/testing/dom.ts'
import { CauseList } from './cause-list.tsx'
import type { Cause } from './describe-shortfall.ts'

afterEach(() => vi.unstubAllGlobals())

const stuck: Cause = {
  work: 'stuck',
  provider_id: '2',
  provider_name: 'second',
  reason: 'refused',
  message: 'no more pieces',
  objects: 3,
  failed_tasks: 19,
  data_sets: [],
}
const waits: Cause = { work: 'waiting', reason: 'funding', message: 'Waits for a deposit.', objects: 1, failed_tasks: 0, data_sets: [] }

test('one click enqueues the work of the provider that failed, from page to page, with progress; a wait has no retry', async () => {
  const bodies: unknown[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const cursors = ['pull.7', 'store.1.storing.900', undefined]
  vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
    const next_cursor = cursors[bodies.length]
    bodies.push(JSON.parse(body))
    if (next_cursor === undefined) await held
    return new Response(JSON.stringify({ tasks: 500, has_more: next_cursor !== undefined, ...(next_cursor && { next_cursor }) }), {
      headers: { 'content-type': 'application/json' },
    })
  })
  const { screen, render, userEvent } = await createScreen()
  await render(<CauseList causes={[stuck, waits]} />)
  expect(textsOf(screen, 'li p')).toEqual([
    'Provider 2 (second) fails: 3 objects below target, 19 failed tasks',
    'no more pieces',
    'Waiting: 1 object below target',
    'Waits for a deposit.',
  ])
  expect(textsOf(screen, 'li button')).toEqual(['Retry all'])
  expect(find(screen, 'li a').getAttribute('href')).toBe('/below-target?work=stuck&provider=2')
  const clicked = userEvent('li button', 'click')
  const progress = async () => {
    await userEvent('li', 'flush')
    return textsOf(screen, '[role=status]')
  }
  await expect.poll(progress).toEqual(['1,000 tasks enqueued so far.'])
  release()
  await clicked
  await expect.poll(progress).toEqual([''])
  expect(bodies).toEqual([
    { provider_id: '2' },
    { provider_id: '2', cursor: 'pull.7' },
    { provider_id: '2', cursor: 'store.1.storing.900' },
  ])
})
