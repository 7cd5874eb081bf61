import { component$, type QRL, type Signal, useSignal } from '@builder.io/qwik'
import { Button, Empty, LinkButton, Sheet, SkeletonLines, setSearch, useIsEnabled, useQuery } from '@svc/ui-kit'
import { downloadHref, lifeHref, useHasLife, versionsHref } from '../buckets/links.ts'
import { EarlierVersions } from '../versions/earlier-versions.tsx'
import { folderOf, nameIn } from './keys-policy.ts'
import { ObjectCopies } from './object-copies.tsx'
import { ObjectFacts } from './object-facts.tsx'
import { ObjectContent } from './preview/object-content.tsx'
import { ShareDialog } from './share/share-dialog.tsx'
import type { ObjectItem } from './state-policy.ts'

interface ObjectPanelProps {
  bucket: string
  objectKey: string
  onDelete$: QRL<(key: string) => void>
}

/** The current version of one object: facts, copies and what can be done. */
export const ObjectPanel = component$<ObjectPanelProps>(({ bucket, objectKey, onDelete$ }) => {
  const open = useSignal(true)
  const hasCopies = useIsEnabled('replication')
  const isSharing = useSignal(false)
  // A key is the first of those that begin with it.
  const page = useQuery('GET /buckets/:name/objects', () => ({ params: { name: bucket }, query: { prefix: objectKey, limit: '1' } }))
  const found = page.data?.objects[0]
  const item = found?.key === objectKey ? found : undefined
  return (
    <Sheet
      open={open}
      title={nameIn(folderOf(objectKey), objectKey)}
      description="Current version of the object"
      onClose$={() => setSearch({ object: null }, { replace: true })}
    >
      {!page.data && !page.error && <SkeletonLines lines={8} label="Loading the object" />}
      {page.error && !item && (
        <Empty icon="octagon-alert" title="The object cannot be read" text={page.error?.message}>
          <Button icon="refresh-cw" onClick$={page.refresh}>
            Try again
          </Button>
        </Empty>
      )}
      {page.data && !item && (
        <Empty
          icon="file-x"
          title="There is no current version"
          text="The object was deleted, or never existed. Its older versions may still be there."
        >
          <LinkButton href={versionsHref(bucket, objectKey)} icon="clock">
            Versions
          </LinkButton>
        </Empty>
      )}
      {item && (
        <div class="flex flex-col gap-6">
          <ObjectFacts item={item} bucket={bucket} />
          {hasCopies.value && (
            <ObjectCopies
              key={`${item.current_version_id} ${item.state} ${item.updated_at}`}
              bucket={bucket}
              versionId={item.current_version_id}
            />
          )}
          <EarlierVersions bucket={bucket} objectKey={item.key} />
          <ObjectContent
            key={item.current_version_id}
            bucket={bucket}
            objectKey={item.key}
            versionId={item.current_version_id}
            size={item.size}
          />
        </div>
      )}
      {item && (
        <div q:slot="footer" class="flex flex-1 flex-wrap items-center justify-end gap-2">
          <ObjectActions bucket={bucket} item={item} isSharing={isSharing} onDelete$={onDelete$} />
        </div>
      )}
      {isSharing.value && item && (
        <ShareDialog
          open={isSharing}
          bucket={bucket}
          objectKey={item.key}
          onClose$={() => {
            isSharing.value = false
          }}
        />
      )}
    </Sheet>
  )
})

interface ObjectActionsProps {
  bucket: string
  item: ObjectItem
  isSharing: Signal<boolean>
  onDelete$: QRL<(key: string) => void>
}

const ObjectActions = component$<ObjectActionsProps>(({ bucket, item, isSharing, onDelete$ }) => {
  const hasS3 = useIsEnabled('s3')
  const hasLife = useHasLife()
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        icon="trash"
        class="me-auto"
        changes="POST /buckets/:name/bulk-actions"
        orHidden
        onClick$={() => onDelete$(item.key)}
      >
        Delete
      </Button>
      {hasS3.value && (
        <Button
          size="sm"
          icon="link"
          changes="POST /buckets/:name/objects/share"
          orHidden
          onClick$={() => {
            isSharing.value = true
          }}
        >
          Share
        </Button>
      )}
      {hasLife && (
        <LinkButton href={lifeHref(bucket, item.key, item.current_version_id)} size="sm" icon="shield-check">
          Life and proofs
        </LinkButton>
      )}
      <LinkButton href={versionsHref(bucket, item.key)} size="sm" icon="clock">
        Versions
      </LinkButton>
      <LinkButton href={downloadHref(bucket, item.key)} download size="sm" variant="primary" icon="download">
        Download
      </LinkButton>
    </>
  )
})
