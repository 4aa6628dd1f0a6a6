const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_'

/** 16 url-safe characters, 96 random bits. `getRandomValues` is there on plain HTTP too, unlike `randomUUID`. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => alphabet[byte & 63]).join(
    '',
  )
}

let page: string | undefined

/** Names this page load, the same for all its workers. */
export function pageId(): string {
  return (page ??= newId())
}
