import { createApp, h, ref } from 'vue'
import Panel from './vue-panel.vue'
import { app, show } from './page'

const shown = ref('')
const panel = createApp({ render: () => h(Panel, { id: shown.value }) })
show(
  (id) => {
    const isFirst = shown.value === ''
    shown.value = id
    if (isFirst) panel.mount(app)
  },
  () => panel.unmount(),
)
