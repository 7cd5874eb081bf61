/** Files and folders that were dropped on the page. */
export interface FileWithPath {
  readonly file: File
  readonly path: string
}

/** Call it while the event is handled: the browser empties the list after it. */
export function entriesOf(items: DataTransferItemList): readonly FileSystemEntry[] {
  return [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
}

/** The files of dropped entries, up to one more than `limit`. */
export async function readEntries(entries: readonly FileSystemEntry[], limit: number): Promise<readonly FileWithPath[]> {
  const found: FileWithPath[] = []
  const waiting = [...entries].reverse()
  for (let entry = waiting.pop(); entry && found.length <= limit; entry = waiting.pop()) {
    if (entry.isDirectory) waiting.push(...[...(await listFolder(entry as FileSystemDirectoryEntry))].reverse())
    else found.push({ file: await openFile(entry as FileSystemFileEntry), path: entry.fullPath.replace(/^\//, '') })
  }
  return found
}

const openFile = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject))

/** A reader gives at most a hundred entries at a time. */
async function listFolder(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
  }
}

/** Files of an input; those of a chosen folder come with their path. */
export const readInput = (files: FileList): readonly FileWithPath[] =>
  [...files].map((file) => ({ file, path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath }))
