/** A test document for components, and searches in it. */
import { createDOM } from '@builder.io/qwik/testing'
import { onTestFinished, vi } from 'vitest'

type TestDom = Awaited<ReturnType<typeof createDOM>>

/**
 * All tests of a worker share one queue of redraws, and what is outside of the components, such as the session: a redraw that an earlier test
 * left there, or its components that still follow the session, would fail the next one.
 */
export async function createScreen(): Promise<TestDom> {
  const dom = await createDOM()
  // Each event ends with the redraws of the queue.
  await dom.userEvent(dom.screen, 'flush')
  return {
    ...dom,
    async render(content) {
      const shown = await dom.render(content)
      onTestFinished(() => shown.cleanup())
      return shown
    },
  }
}

/** The test document answers undefined where it finds nothing. */
export const all = (screen: ParentNode, selector: string): readonly Element[] => Array.from(screen.querySelectorAll(selector) ?? [])

export function find(screen: ParentNode, selector: string): Element {
  const element = screen.querySelector(selector)
  if (!element) throw new Error(`Nothing matches ${selector} in ${(screen as Element).innerHTML}`)
  return element
}

export const textsOf = (screen: ParentNode, selector: string) => all(screen, selector).map((element) => element.textContent)

/** The test document has no layout. */
export function stubLayout(): void {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  )
  vi.stubGlobal('requestAnimationFrame', () => 1)
  vi.stubGlobal('cancelAnimationFrame', () => {})
}
