import { createApp } from 'vue'
import Copilot from './vue-copilot.vue'

createApp(Copilot).mount('#app')
