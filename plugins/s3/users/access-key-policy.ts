/** Makes an access key from random base64url text. A leading dash is replaced: a command line would parse it as a flag. */
export const toAccessKey = (token: string): string => token.replace(/^-/, '0')
