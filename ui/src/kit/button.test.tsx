import { component$, useSignal } from '@builder.io/qwik'
import { describe, expect, test } from 'vitest'
import { Button } from './button.tsx'
import { createScreen, find } from './testing/dom.ts'

const Clicks = component$<{ lockedReason?: string; pending?: boolean }>((props) => {
  const clicks = useSignal(0)
  return (
    <>
      <Button
        {...props}
        onClick$={() => {
          clicks.value += 1
        }}
      >
        Save
      </Button>
      <output>{clicks.value}</output>
    </>
  )
})

describe('a button', () => {
  test('runs its action', async () => {
    const { screen, render, userEvent } = await createScreen()
    await render(<Clicks />)
    await userEvent('button', 'click')
    expect(find(screen, 'output').textContent).toBe('1')
  })

  test('with a reason against it can be focused, says the reason and does nothing', async () => {
    const { screen, render, userEvent } = await createScreen()
    await render(<Clicks lockedReason="The bucket has objects." />)
    await userEvent('button', 'click')
    const button = find(screen, 'button')
    expect(find(screen, 'output').textContent).toBe('0')
    expect([button.hasAttribute('disabled'), button.getAttribute('aria-disabled'), button.getAttribute('data-tooltip')]).toEqual([
      false,
      'true',
      'The bucket has objects.',
    ])
  })

  test('that is pending is off and busy', async () => {
    const { screen, render } = await createScreen()
    await render(<Clicks pending />)
    const button = find(screen, 'button')
    expect([button.hasAttribute('disabled'), button.getAttribute('aria-busy')]).toEqual([true, 'true'])
  })
})
