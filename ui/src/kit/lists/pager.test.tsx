import { $ } from '@builder.io/qwik'
import { expect, test } from 'vitest'
import { all, createScreen } from '../testing/dom.ts'
import { Pager } from './pager.tsx'

test('a pager is off where there is no page', async () => {
  const { screen, render } = await createScreen()
  await render(<Pager first more={false} onFirst$={$(() => {})} onNext$={$(() => {})} />)
  expect(all(screen, 'button').map((button) => button.hasAttribute('disabled'))).toEqual([true, true])
})
