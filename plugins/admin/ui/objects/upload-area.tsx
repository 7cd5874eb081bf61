import { component$, type NoSerialize, noSerialize, Slot, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import { Button, Icon, toast } from '@svc/ui-kit'
import { entriesOf, type FileWithPath, readEntries, readInput } from './read-dropped.ts'
import { UploadDialog } from './upload-dialog.tsx'
import { filesMax } from './upload-policy.ts'

/** A place that files and folders can be dropped on, with buttons that choose some. */
export const UploadArea = component$<{ bucket: string; folder: string }>(({ bucket, folder }) => {
  const area = useSignal<HTMLDivElement>()
  const chosen = useSignal<NoSerialize<readonly FileWithPath[]>>()
  const open = useSignal(false)
  const isOver = useSignal(false)
  const isReading = useSignal(false)
  const filesInput = useSignal<HTMLInputElement>()
  const folderInput = useSignal<HTMLInputElement>()
  // biome-ignore lint/correctness/noQwikUseVisibleTask: what is dropped can be read only while the event is handled, and a lazy handler is too late
  useVisibleTask$(
    ({ cleanup }) => {
      const element = area.value
      if (!element) return
      const control = new AbortController()
      const { signal } = control
      cleanup(() => control.abort())
      const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
      const over = (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        isOver.value = true
      }
      element.addEventListener('dragenter', over, { signal })
      element.addEventListener('dragover', over, { signal })
      element.addEventListener(
        'dragleave',
        (event) => {
          if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) isOver.value = false
        },
        { signal },
      )
      element.addEventListener(
        'drop',
        (event) => {
          if (!hasFiles(event) || !event.dataTransfer) return
          event.preventDefault()
          isOver.value = false
          isReading.value = true
          void readEntries(entriesOf(event.dataTransfer.items), filesMax)
            .then((files) => {
              if (files.length === 0) return
              chosen.value = noSerialize(files)
              open.value = true
            })
            .catch((error: unknown) => toast({ tone: 'danger', title: 'The dropped files cannot be read', text: String(error) }))
            .finally(() => {
              isReading.value = false
            })
        },
        { signal },
      )
    },
    { strategy: 'document-ready' },
  )
  return (
    <div ref={area} class="relative min-h-72">
      <div class="mb-3 flex flex-wrap items-center gap-2">
        <Button variant="primary" icon="upload" data-shortcut="u" pending={isReading.value} onClick$={() => filesInput.value?.click()}>
          Upload files
        </Button>
        <Button icon="folder-plus" onClick$={() => folderInput.value?.click()}>
          Upload a folder
        </Button>
        <span class="hidden text-xs text-muted lg:inline">or drop files and folders anywhere below</span>
        {[filesInput, folderInput].map((input, at) => (
          <input
            key={at}
            ref={input}
            type="file"
            multiple
            hidden
            aria-label={at === 0 ? 'Files to upload' : 'Folder to upload'}
            webkitdirectory={at === 1}
            onChange$={(_, element) => {
              if (!element.files || element.files.length === 0) return
              chosen.value = noSerialize(readInput(element.files))
              open.value = true
              // The same files may be chosen again.
              element.value = ''
            }}
          />
        ))}
      </div>
      <Slot />
      {isOver.value && (
        <div class="pointer-events-none absolute inset-0 z-20 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-accent-soft/90">
          <span class="flex items-center gap-3 text-base font-semibold">
            <Icon name="upload" size={22} />
            Drop to upload {folder === '' ? `into ${bucket}` : 'into this folder'}
          </span>
        </div>
      )}
      {chosen.value && (
        <UploadDialog
          open={open}
          bucket={bucket}
          folder={folder}
          files={chosen.value}
          onClose$={() => {
            chosen.value = undefined
          }}
        />
      )}
    </div>
  )
})
