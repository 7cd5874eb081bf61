import { type NoSerialize, noSerialize, type Signal, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import { toast } from '@svc/ui-kit'
import { entriesOf, type FileWithPath, readEntries } from './read-dropped.ts'
import { filesMax } from './upload-policy.ts'

interface Drop {
  readonly area: Signal<HTMLDivElement | undefined>
  /** Files are held above the area. */
  readonly isOver: Signal<boolean>
  readonly isReading: Signal<boolean>
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false

/** Lets files and folders be dropped on an element; what was dropped goes to `chosen`. */
export const useDrop = (chosen: Signal<NoSerialize<readonly FileWithPath[]>>, open: Signal<boolean>): Drop => {
  const area = useSignal<HTMLDivElement>()
  const isOver = useSignal(false)
  const isReading = useSignal(false)
  // biome-ignore lint/correctness/noQwikUseVisibleTask: what is dropped can be read only while the event is handled, and a lazy handler is too late
  useVisibleTask$(
    ({ cleanup }) => {
      const element = area.value
      if (!element) return
      const control = new AbortController()
      cleanup(() => control.abort())
      const listen = (name: 'dragenter' | 'dragover' | 'dragleave' | 'drop', react: (event: DragEvent) => void) =>
        element.addEventListener(name, (event) => (hasFiles(event) ? react(event) : undefined), { signal: control.signal })
      const over = (event: DragEvent) => {
        event.preventDefault()
        isOver.value = true
      }
      listen('dragenter', over)
      listen('dragover', over)
      listen('dragleave', ({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && element.contains(relatedTarget))) isOver.value = false
      })
      listen('drop', async (event) => {
        event.preventDefault()
        isOver.value = false
        if (!event.dataTransfer) return
        isReading.value = true
        try {
          const files = await readEntries(entriesOf(event.dataTransfer.items), filesMax)
          if (files.length === 0) return
          chosen.value = noSerialize(files)
          open.value = true
        } catch (error) {
          toast({ tone: 'danger', title: 'The dropped files cannot be read', text: String(error) })
        } finally {
          isReading.value = false
        }
      })
    },
    { strategy: 'document-ready' },
  )
  return { area, isOver, isReading }
}
