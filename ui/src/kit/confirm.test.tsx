import { $, component$, useSignal } from '@builder.io/qwik'
import { describe, expect, test } from 'vitest'
import { Confirm } from './confirm.tsx'
import { createScreen, find, textsOf } from './testing/dom.ts'

describe('a confirmation', () => {
  const Typed = component$<{ error?: string }>(({ error }) => {
    const open = useSignal(false)
    const confirmed = useSignal('no')
    return (
      <>
        <Confirm
          open={open}
          level="typed"
          word="media"
          title="Delete?"
          confirmLabel="Delete"
          error={error}
          onConfirm$={$(() => {
            confirmed.value = 'yes'
          })}
        />
        <output>{confirmed.value}</output>
      </>
    )
  })

  test('with a word to type is locked until the word is there, letter by letter', async () => {
    const { screen, render, userEvent } = await createScreen()
    await render(<Typed />)
    const type = async (value: string) => {
      const input = find(screen, 'input') as HTMLInputElement
      input.value = value
      await userEvent(input, 'input')
      return find(screen, 'button[type=submit]').getAttribute('aria-disabled')
    }
    expect([await type('Media'), await type('media '), await type('media')]).toEqual(['true', 'true', null])
  })

  test('keeps an error in view', async () => {
    const { screen, render } = await createScreen()
    await render(<Typed error="Storage work is active." />)
    expect(find(screen, '[role=alert]').textContent).toContain('Storage work is active.')
  })

  test('shows what changes, from and to', async () => {
    const { screen, render } = await createScreen()
    const Review = component$(() => {
      const open = useSignal(false)
      return (
        <Confirm
          open={open}
          level="review"
          title="Change the owner?"
          confirmLabel="Change"
          rows={[{ label: 'Owner', from: 'alice', to: 'bob' }]}
          onConfirm$={$(() => {})}
        />
      )
    })
    await render(<Review />)
    expect(textsOf(screen, 'tbody tr > *')).toEqual(['Owner', 'alice', 'bob'])
  })
})
