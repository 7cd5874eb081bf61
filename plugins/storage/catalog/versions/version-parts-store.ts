import type { Params, Reader } from '#kernel'
import type { CompletedPart } from '../../contract.ts'
import { statement } from '../entities/tables.ts'

const selectParts = statement((db, { versionId }: Params<{ versionId: string }>) =>
  db.selectFrom('object_versions').select('multipart_parts as parts').where('version_id', '=', versionId),
)

/** The parts of a version as its row has them: not read with the other columns, because they may be long. */
export async function partsTextOf(read: Reader, versionId: string): Promise<string | null> {
  return (await read.get(selectParts, { versionId }))?.parts ?? null
}

type PartColumns = readonly [partNumber: number, size: number, checksums?: Readonly<Record<string, string>>]

export function formatParts(parts: readonly CompletedPart[]): string {
  return JSON.stringify(
    parts.map(({ partNumber, size, checksums }): PartColumns => {
      return Object.keys(checksums).length > 0 ? [partNumber, size, checksums] : [partNumber, size]
    }),
  )
}

export function parseParts(text: string | null): readonly CompletedPart[] {
  if (text === null) return []
  return (JSON.parse(text) as readonly PartColumns[]).map(([partNumber, size, checksums = {}]) => ({ partNumber, size, checksums }))
}
