/** What the browser says of the room that this site has. */
export interface StorageEstimate {
  /** All data of this site, in bytes, as far as the browser says; so is the quota. */
  readonly usage?: number
  readonly quota?: number
  /** The browser deletes nothing of it for want of room. */
  readonly persisted: boolean
}

/** The storage of this site, whatever the agents keep in it. Nothing of it rejects. */
export interface PageStorage {
  /**
   * Asks the browser to delete nothing of this site for want of room. Resolves to whether it agrees: some browsers ask
   * the person, others decide by how the site is used.
   */
  persist(): Promise<boolean>
  estimate(): Promise<StorageEstimate>
}

/** Missing on plain HTTP, and in some private windows. */
const manager = (): Partial<StorageManager> => globalThis.navigator?.storage ?? {}

const known = <Value>(asked: Promise<Value> | undefined): Promise<Value | undefined> =>
  Promise.resolve(asked).catch(() => undefined)

export const pageStorage: PageStorage = {
  persist: async () => (await known(manager().persist?.())) === true,
  async estimate() {
    const [{ usage, quota } = {}, persisted = false] = await Promise.all([
      known(manager().estimate?.()),
      known(manager().persisted?.()),
    ])
    return {
      ...(usage !== undefined && { usage }),
      ...(quota !== undefined && { quota }),
      persisted,
    }
  },
}
