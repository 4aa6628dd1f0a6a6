/** The browser's report on the storage of this site. */
export interface StorageEstimate {
  /** Bytes that this site uses, if the browser says; likewise the quota. */
  readonly usage?: number
  readonly quota?: number
  /** True if the browser won't delete the site's data to make room. */
  readonly persisted: boolean
}

/** The storage of this site, whatever its agents keep there. None of its methods reject. */
export interface PageStorage {
  /**
   * Asks the browser not to delete this site's data to make room. Resolves to whether it agrees. Some browsers ask the
   * person, others decide by how the site is used.
   */
  persist(): Promise<boolean>
  estimate(): Promise<StorageEstimate>
}

/** Empty without a storage manager: on plain HTTP, and in some private windows. */
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
