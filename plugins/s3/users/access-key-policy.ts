/** An access key from random base64url: never with a dash in front, which would read as a flag on a command line. */
export const toAccessKey = (token: string): string => token.replace(/^-/, '0')
