import { mount, unmount } from 'svelte'
import Host from './svelte-host.svelte'
import { app, show } from './page'

let host: { use(id: string): void } | undefined
show(
  (id) => {
    if (host) host.use(id)
    else host = mount(Host, { target: app, props: { first: id } })
  },
  () => host && unmount(host),
)
