/** Names of rows: a folder and an object may have the same text. */
export const folderId = (prefix: string): string => `folder ${prefix}`
export const objectId = (key: string): string => `object ${key}`

export const isFolderId = (id: string): boolean => id.startsWith(folderId(''))
/** The prefix or the key of a row. */
export const textOfId = (id: string): string => id.slice(id.indexOf(' ') + 1)
