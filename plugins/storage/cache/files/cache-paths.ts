/** Places of files below the folder of the cache. */
export const blobsFolder = 'blobs'

export const blobsPath = (dir: string): string => `${dir}/${blobsFolder}`
export const startPath = (dir: string, epoch: number): string => `${blobsPath(dir)}/${epoch}`

/** Path of a blob's file: `blobs/<epoch>/<last two digits of its id>/<id>`. */
export const blobPath = (dir: string, blobId: string, epoch: number): string => `${startPath(dir, epoch)}/${blobId.slice(-2)}/${blobId}`
