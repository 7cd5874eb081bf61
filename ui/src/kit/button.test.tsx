import { component$, useSignal } from '@builder.io/qwik'
import { afterEach, describe, expect, test } from 'vitest'
import { session } from '../data/session.ts'
import { Button, LinkButton } from './button.tsx'
import { Menu } from './menu.tsx'
import { all, createScreen, find, textsOf } from './testing/dom.ts'

const Clicks = component$<{ lockedReason?: string; pending?: boolean; changes?: 'POST /auth/logout'; orHidden?: boolean }>((props) => {
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

const signInAs = (role: 'operator' | 'read-only' | undefined, refused: readonly string[] = []) => {
  session.value = {
    username: 'alice',
    csrf_token: 'token',
    expires_at: '2030-01-01T00:00:00Z',
    refresh_after: '2030-01-01T00:00:00Z',
    ...(role && { role, refused: [...refused] }),
  }
}

afterEach(() => {
  session.value = undefined
})

describe('a control that leads to a change', () => {
  test('is locked with the reason in words for a role that may not make it', async () => {
    signInAs('read-only', ['POST /api/v1/auth/logout'])
    const { screen, render, userEvent } = await createScreen()
    await render(<Clicks changes="POST /auth/logout" lockedReason="Another reason." />)
    await userEvent('button', 'click')
    const button = find(screen, 'button')
    expect([find(screen, 'output').textContent, button.getAttribute('aria-disabled'), button.getAttribute('data-tooltip')]).toEqual([
      '0',
      'true',
      'Your role, read-only, may not change this; ask an admin.',
    ])
  })

  test('is hidden when it has orHidden, is an entry of a menu, or is a link', async () => {
    signInAs('operator', ['POST /api/v1/auth/logout'])
    const { screen, render, userEvent } = await createScreen()
    const items = [{ id: 'a', label: 'Read' }, { id: 'b', label: 'Change', changes: 'POST /auth/logout' } as const]
    await render(
      <>
        <Clicks changes="POST /auth/logout" orHidden />
        <LinkButton href="/x" changes="POST /auth/logout">
          Go
        </LinkButton>
        <Menu label="Only changes" items={items.slice(1)} />
        <Menu label="Both" items={items} />
      </>,
    )
    expect([all(screen, 'a').length, all(screen, 'button').map((button) => button.getAttribute('aria-label'))]).toEqual([0, ['Both']])
    await userEvent('button', 'click')
    expect(textsOf(screen, '[role=menuitem]')).toEqual(['Read'])
  })

  test('is offered to every other role, to the admin and without authentication, and follows the session', async () => {
    const { screen, render, userEvent } = await createScreen()
    await render(<Clicks changes="POST /auth/logout" />)
    const state = async () => {
      await userEvent('output', 'flush')
      return find(screen, 'button').getAttribute('aria-disabled')
    }
    signInAs('read-only', ['POST /api/v1/auth/logout'])
    expect(await state()).toBe('true')
    signInAs('operator', ['PUT /api/v1/settings'])
    expect(await state()).toBeFalsy()
    signInAs(undefined)
    expect(await state()).toBeFalsy()
    session.value = undefined
    await userEvent('button', 'click')
    expect(find(screen, 'output').textContent).toBe('1')
  })
})
