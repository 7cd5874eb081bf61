import { component$, type NoSerialize, noSerialize, type Signal, useSignal } from '@builder.io/qwik'
import { Button, useRefusal } from '@svc/ui-kit'
import { type FileWithPath, readInput } from './read-dropped.ts'

const route = 'POST /buckets/:name/objects/upload'

interface UploadButtonsProps {
  chosen: Signal<NoSerialize<readonly FileWithPath[]>>
  open: Signal<boolean>
  pending: boolean
}

/** Chooses files or a folder. */
export const UploadButtons = component$<UploadButtonsProps>(({ chosen, open, pending }) => {
  const refused = useRefusal()(route)
  const files = useSignal<HTMLInputElement>()
  const folder = useSignal<HTMLInputElement>()
  return (
    <div class="flex flex-wrap items-center gap-2 sm:ms-auto">
      {!refused && <span class="hidden text-xs text-muted lg:inline">Drop files and folders here, or</span>}
      <Button icon="folder-plus" changes={route} onClick$={() => folder.value?.click()}>
        Upload a folder
      </Button>
      <Button variant="primary" icon="upload" data-shortcut="u" changes={route} pending={pending} onClick$={() => files.value?.click()}>
        Upload files
      </Button>
      {[files, folder].map((input, at) => (
        <input
          key={at}
          ref={input}
          type="file"
          multiple
          hidden
          webkitdirectory={at === 1}
          aria-label={at === 0 ? 'Files to upload' : 'Folder to upload'}
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
  )
})
