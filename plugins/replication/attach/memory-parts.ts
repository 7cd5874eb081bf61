import { defineMemoryPart } from '#kernel/system'
import { pieceCalculator, remoteReader } from '../services.ts'

export const pieceThreadsMemory = defineMemoryPart({
  name: 'piece_threads',
  uses: { pieceCalculator },
  read: async ({ pieceCalculator }) => ({ piece_threads: await pieceCalculator.memory() }),
})

export const remoteReadsMemory = defineMemoryPart({
  name: 'remote_reads',
  uses: { remoteReader },
  read: ({ remoteReader }) => ({ remote_reads: remoteReader.memory() }),
})
