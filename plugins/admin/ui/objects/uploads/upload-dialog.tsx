import { component$, type NoSerialize, type QRL, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import {
  ActionPrice,
  Alert,
  Badge,
  Button,
  Bytes,
  CancelButton,
  type Column,
  Dialog,
  formatBytes,
  formatPlural,
  KeyText,
  Table,
  usePriceTerms,
  useQuery,
} from '@svc/ui-kit'
import { comparedMax, findExisting } from '../find-existing.ts'
import type { FileWithPath } from './read-dropped.ts'
import { startUploads } from './start-uploads.ts'
import { filesMax, type JudgedFile, judgeFiles, priceableFiles, readSizeLimits } from './upload-policy.ts'

interface UploadDialogProps {
  open: Signal<boolean>
  bucket: string
  folder: string
  files: NoSerialize<readonly FileWithPath[]>
  onClose$: QRL<() => void>
}

/** What will be sent, before it is: keys, sizes, what the service would refuse and what gets another version. */
export const UploadDialog = component$<UploadDialogProps>(({ open, bucket, folder, files = [], onClose$ }) => {
  const settings = useQuery('GET /settings')
  const terms = usePriceTerms()
  const existing = useSignal<Existing>(new Map())
  const limits = settings.data && readSizeLimits(settings.data)
  const chosen = files.slice(0, filesMax)
  const judged = judgeFiles(
    chosen.map(({ file, path }) => ({ path, size: file.size })),
    folder,
    limits,
  )
  const good = judged.filter(({ problem }) => problem === undefined)
  const refused = judged.length - good.length
  const priced = priceableFiles(good)
  useTask$(({ cleanup }) => {
    const control = new AbortController()
    cleanup(() => control.abort())
    const keys = chosen.map(({ path }) => folder + path)
    // A hint alone: without it no key is called new, and nothing is lost.
    findExisting(bucket, keys, control.signal).then(
      (found) => {
        existing.value = found
      },
      () => undefined,
    )
  })
  return (
    <Dialog
      open={open}
      size="lg"
      title={`Upload ${formatPlural(good.length, 'file')} into ${bucket}`}
      description={folder === '' ? undefined : `Folder ${folder}`}
      onClose$={onClose$}
    >
      <div class="flex flex-col gap-3">
        {files.length > filesMax && (
          <Alert tone="warning">
            More than {filesMax.toLocaleString('en-US')} files were chosen: this takes the first {filesMax.toLocaleString('en-US')}.
          </Alert>
        )}
        {refused > 0 && (
          <Alert tone="danger" title={`${formatPlural(refused, 'file')} will not be sent`}>
            The service would refuse them, for the reasons below.
          </Alert>
        )}
        <ExistingNotes existing={existing.value} files={judged.length} />
        <div class="overflow-hidden rounded-md border">
          <Table
            label="Files to upload"
            columns={columnsFor(existing.value)}
            rows={judged}
            rowKey={({ key, path, size }) => `${key} ${path} ${size}`}
          />
        </div>
        {priced && <ActionPrice action={{ kind: 'upload', bucket, ...priced }} terms={terms} />}
        <p class="text-xs text-muted">
          {formatBytes(good.reduce((all, { size }) => all + size, 0))} in all. Three files are sent at a time; the queue continues while you
          look at other pages.
        </p>
      </div>
      <CancelButton q:slot="footer" open={open} />
      <Button
        q:slot="footer"
        variant="primary"
        icon="upload"
        changes="POST /buckets/:name/objects/upload"
        data-autofocus=""
        disabled={!settings.data && !settings.error}
        lockedReason={good.length === 0 ? 'None of the files can be sent.' : undefined}
        onClick$={() => {
          const byKey = new Map(chosen.map(({ file, path }) => [folder + path, file]).reverse() as [string, File][])
          startUploads(
            bucket,
            good.flatMap(({ key }) => {
              const file = byKey.get(key)
              return file ? [{ key, file }] : []
            }),
          )
          open.value = false
        }}
      >
        Upload {formatPlural(good.length, 'file')}
      </Button>
    </Dialog>
  )
})

type Existing = Awaited<ReturnType<typeof findExisting>>

const ExistingNotes = ({ existing, files }: { existing: Existing; files: number }) => {
  const known = [...existing.values()].filter(Boolean).length
  return (
    <>
      {known > 0 && (
        <Alert tone="info" title={`${formatPlural(known, 'key exists', 'keys exist')}`}>
          They get a new version; the present one stays in their history.
        </Alert>
      )}
      {files > comparedMax && (
        <p class="text-xs text-muted">
          The first {comparedMax} keys are compared with those of the bucket. Any other may exist too, and gets a new version then.
        </p>
      )}
    </>
  )
}

const marks = { true: ['info', 'New version'], false: ['success', 'New object'], undefined: ['neutral', 'Not compared'] } as const

/** Only a key that was looked up is called new. */
const ExistingMark = ({ exists }: { exists: boolean | undefined }) => {
  const [tone, word] = marks[`${exists}`]
  return <Badge tone={tone}>{word}</Badge>
}

const columnsFor = (existing: Existing): readonly Column<JudgedFile>[] => [
  { id: 'key', label: 'Key', grow: true, title: true, cell: ({ key }) => <KeyText text={key} /> },
  { id: 'size', label: 'Size', align: 'end', cell: ({ size }) => <Bytes value={size} /> },
  {
    id: 'verdict',
    label: '',
    cell: ({ key, problem }) =>
      problem === undefined ? (
        <ExistingMark exists={existing.get(key)} />
      ) : (
        <span title={problem} class="inline-block max-w-64 truncate align-bottom text-xs text-danger">
          {problem}
        </span>
      ),
  },
]
