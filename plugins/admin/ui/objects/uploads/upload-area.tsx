import { component$, type NoSerialize, Slot, useSignal } from '@builder.io/qwik'
import { Icon, useRefusal } from '@svc/ui-kit'
import type { FileWithPath } from './read-dropped.ts'
import { UploadButtons } from './upload-buttons.tsx'
import { UploadDialog } from './upload-dialog.tsx'
import { useDrop } from './use-drop.ts'

/** A place that files and folders can be dropped on, with buttons that choose some. Slot `tools`: beside the buttons. */
export const UploadArea = component$<{ bucket: string; folder: string }>(({ bucket, folder }) => {
  const chosen = useSignal<NoSerialize<readonly FileWithPath[]>>()
  const open = useSignal(false)
  const refused = useRefusal()('POST /buckets/:name/objects/upload')
  const { area, isOver, isReading } = useDrop(chosen, open)
  return (
    <div ref={area} class="relative min-h-72">
      <div class="mb-3 flex flex-wrap items-center gap-2">
        <Slot name="tools" />
        <UploadButtons chosen={chosen} open={open} pending={isReading.value} />
      </div>
      <Slot />
      {isOver.value && !refused && (
        <div class="pointer-events-none absolute inset-0 z-20 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-accent-soft">
          <span class="flex items-center gap-3 text-base font-semibold">
            <Icon name="upload" size={22} />
            Drop to upload {folder === '' ? `into ${bucket}` : 'into this folder'}
          </span>
        </div>
      )}
      {chosen.value && !refused && (
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
