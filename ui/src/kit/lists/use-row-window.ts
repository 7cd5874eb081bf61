import { type Signal, useSignal, useTask$, useVisibleTask$ } from '@builder.io/qwik'
import { growTo, isSame, type RowWindow, toRowWindow, wholeListLimit } from './table-window.ts'

const assumedRowHeight = 44
const assumedViewHeight = 900

interface RowWindowState {
  readonly box: Signal<HTMLDivElement | undefined>
  readonly view: Readonly<Signal<RowWindow>>
}

/** Follows the scrolling of a long table. */
export const useRowWindow = (props: { readonly rows: readonly unknown[] | undefined }): RowWindowState => {
  const box = useSignal<HTMLDivElement>()
  const view = useSignal<RowWindow>(
    toRowWindow({ count: props.rows?.length ?? 0, rowHeight: assumedRowHeight, scrollTop: 0, viewHeight: assumedViewHeight }),
  )
  useTask$(({ track }) => {
    view.value = measure(
      box.value,
      track(() => props.rows?.length ?? 0),
    )
  })
  // biome-ignore lint/correctness/noQwikUseVisibleTask: scrolling is followed on the element itself
  useVisibleTask$(
    ({ track, cleanup }) => {
      const count = track(() => props.rows?.length ?? 0)
      const element = box.value
      if (!element || count <= wholeListLimit) return
      let [frame, timer] = [0, 0]
      const update = () => {
        frame = 0
        const [shown, next] = [view.value, measure(element, count)]
        clearTimeout(timer)
        // Qwik moves every row that stays if rows leave above and others come below in one drawing. So they come first, and leave in the next one.
        view.value = growTo(shown, next)
        timer = window.setTimeout(() => {
          if (!isSame(view.value, next)) view.value = next
        })
        keepWidths(element)
      }
      const schedule = () => {
        frame ||= requestAnimationFrame(update)
      }
      element.addEventListener('scroll', schedule, { passive: true })
      const resized = new ResizeObserver((entries) => {
        if (entries.some(({ target }) => target === element)) for (const head of headsOf(element)) head.style.minWidth = ''
        schedule()
      })
      resized.observe(element)
      // Rows change their height with the density.
      if (element.firstElementChild) resized.observe(element.firstElementChild)
      schedule()
      cleanup(() => {
        cancelAnimationFrame(frame)
        clearTimeout(timer)
        element.removeEventListener('scroll', schedule)
        resized.disconnect()
      })
    },
    { strategy: 'document-ready' },
  )
  return { box, view }
}

/** A column stays as wide as the widest of its cells so far: rows that scroll into view do not move it. The growing one takes what is left. */
function keepWidths(box: HTMLDivElement): void {
  for (const head of headsOf(box)) {
    const width = Math.ceil(head.getBoundingClientRect().width)
    if (!head.classList.contains('w-full') && width > (Number.parseFloat(head.style.minWidth) || 0)) head.style.minWidth = `${width}px`
  }
}

const headsOf = (box: HTMLDivElement) => box.querySelectorAll<HTMLElement>('thead th')

/** All rows have the height of the first: their cells hold one line each. */
function measure(box: HTMLDivElement | undefined, count: number): RowWindow {
  const row = box?.querySelector('tbody > tr[role="row"]')
  return toRowWindow({
    count,
    rowHeight: row?.getBoundingClientRect().height || assumedRowHeight,
    scrollTop: box?.scrollTop ?? 0,
    viewHeight: box?.clientHeight || assumedViewHeight,
  })
}
