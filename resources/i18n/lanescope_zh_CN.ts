<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>ChatSamples</name>
    <message>
        <source>A question</source>
        <translation>一个问题</translation>
    </message>
    <message>
        <source>With a system prompt</source>
        <translation>带系统提示</translation>
    </message>
    <message>
        <source>Several turns</source>
        <translation>多轮对话</translation>
    </message>
    <message>
        <source>With a tool</source>
        <translation>带工具</translation>
    </message>
    <message>
        <source>Control tokens in the message</source>
        <translation>消息中含控制 token</translation>
    </message>
</context>
<context>
    <name>KeysDialog</name>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>任何地方</translation>
    </message>
    <message>
        <source>run the prompt</source>
        <translation>运行提示词</translation>
    </message>
    <message>
        <source>stop the run, clear the selection</source>
        <translation>停止运行，清除选择</translation>
    </message>
    <message>
        <source>command palette</source>
        <translation>命令面板</translation>
    </message>
    <message>
        <source>pages</source>
        <translation>切换页面</translation>
    </message>
    <message>
        <source>write in the prompt</source>
        <translation>编辑提示词</translation>
    </message>
    <message>
        <source>show or hide the inspector</source>
        <translation>显示或隐藏检查器</translation>
    </message>
    <message>
        <source>undo, redo lane edits</source>
        <translation>撤销、重做通道编辑</translation>
    </message>
    <message>
        <source>this page</source>
        <translation>本页</translation>
    </message>
    <message>
        <source>A lane with focus</source>
        <translation>聚焦的通道</translation>
    </message>
    <message>
        <source>edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>duplicate</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>mute or unmute</source>
        <translation>停用或启用</translation>
    </message>
    <message>
        <source>pin as baseline</source>
        <translation>设为基线</translation>
    </message>
    <message>
        <source>remove (can be undone)</source>
        <translation>移除（可撤销）</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>select a token</source>
        <translation>选择一个 token</translation>
    </message>
    <message>
        <source>select a range</source>
        <translation>选择一段</translation>
    </message>
    <message>
        <source>first, last token</source>
        <translation>第一个、最后一个 token</translation>
    </message>
    <message>
        <source>copy the selection or the answer</source>
        <translation>复制所选内容或整个回答</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>zoom in, out</source>
        <translation>放大、缩小</translation>
    </message>
    <message>
        <source>pan left, right</source>
        <translation>左移、右移</translation>
    </message>
    <message>
        <source>fit the selection</source>
        <translation>适应所选范围</translation>
    </message>
    <message>
        <source>fit everything</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>next, previous span</source>
        <translation>下一个、上一个区段</translation>
    </message>
    <message>
        <source>mark a range</source>
        <translation>标记范围</translation>
    </message>
    <message>
        <source>find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>previous zoom</source>
        <translation>上一次缩放</translation>
    </message>
    <message>
        <source>About Lanescope</source>
        <translation>关于 Lanescope</translation>
    </message>
    <message>
        <source>Profiler and playground for the cost of LLM inference. Everything runs on this machine; nothing is sent anywhere.</source>
        <translation>大语言模型推理成本的性能分析与实验工具。一切都在本机运行，不向任何地方发送数据。</translation>
    </message>
    <message>
        <source>open a model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>details of its model</source>
        <translation>其模型的详情</translation>
    </message>
    <message>
        <source>choose the track</source>
        <translation>选择轨道</translation>
    </message>
    <message>
        <source>into a span (ops, kernels), out of it</source>
        <translation>进入区段（算子、内核），再出来</translation>
    </message>
    <message>
        <source>collapse the group, or all</source>
        <translation>折叠该组，或全部</translation>
    </message>
</context>
<context>
    <name>KvWords</name>
    <message>
        <source>4 bytes</source>
        <translation>4 字节</translation>
    </message>
    <message>
        <source>2 bytes</source>
        <translation>2 字节</translation>
    </message>
    <message>
        <source>1 byte</source>
        <translation>1 字节</translation>
    </message>
    <message>
        <source>(1 + 4/%1) bytes</source>
        <translation>(1 + 4/%1) 字节</translation>
    </message>
    <message>
        <source>(1/2 + 4/%1) bytes</source>
        <translation>(1/2 + 4/%1) 字节</translation>
    </message>
    <message>
        <source>%1 layers × %2 KV heads × %3 columns × </source>
        <translation>%1 层 × %2 个 KV 头 × %3 列 × </translation>
    </message>
    <message>
        <source>2 (K, V) × </source>
        <translation>2（K、V）× </translation>
    </message>
    <message>
        <source>(%1 of K + %2 of V)</source>
        <translation>（K %1 + V %2）</translation>
    </message>
    <message>
        <source>%1 = %2 bytes a token</source>
        <translation>%1 = 每个 token %2 字节</translation>
    </message>
    <message>
        <source>Heads of %1 columns cannot be stored as %2: choose another format.</source>
        <translation>%1 列的头不能存为 %2：请选择其他格式。</translation>
    </message>
</context>
<context>
    <name>LaneChips</name>
    <message>
        <source>Where the lane computes</source>
        <translation>通道在哪里计算</translation>
    </message>
    <message>
        <source>Type that most weight bytes are stored in</source>
        <translation>大部分权重字节的存储类型</translation>
    </message>
    <message>
        <source>kv %1</source>
        <translation>kv %1</translation>
    </message>
    <message>
        <source>Number format of the KV cache</source>
        <translation>KV 缓存的数值格式</translation>
    </message>
    <message>
        <source>Attention that writes the whole score matrix, kept for comparison</source>
        <translation>写出完整分数矩阵的注意力实现，保留用于比较</translation>
    </message>
    <message>
        <source>Tiled attention with an online softmax: the score matrix is never stored</source>
        <translation>分块注意力加在线 softmax：从不存储分数矩阵</translation>
    </message>
    <message>
        <source>threads %1</source>
        <translation>%1 线程</translation>
    </message>
    <message>
        <source>all threads</source>
        <translation>全部线程</translation>
    </message>
    <message>
        <source>Threads that do the maths</source>
        <translation>参与计算的线程数</translation>
    </message>
    <message>
        <source>block %1</source>
        <translation>块 %1</translation>
    </message>
    <message>
        <source>Tokens in a block of the paged KV cache</source>
        <translation>分页 KV 缓存中每块的 token 数</translation>
    </message>
    <message>
        <source>ctx %1</source>
        <translation>上下文 %1</translation>
    </message>
    <message>
        <source>ctx default</source>
        <translation>默认上下文</translation>
    </message>
    <message>
        <source>Tokens the KV cache has room for</source>
        <translation>KV 缓存可容纳的 token 数</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>fast path</source>
        <translation>快速路径</translation>
    </message>
    <message>
        <source>Exact: fp32 activations and KV, no activation quantisation</source>
        <translation>精确：fp32 激活和 KV，不量化激活</translation>
    </message>
    <message>
        <source>own template</source>
        <translation>自带模板</translation>
    </message>
    <message>
        <source>template %1</source>
        <translation>模板 %1</translation>
    </message>
    <message>
        <source>Chat template chosen by hand instead of the checkpoint&apos;s own</source>
        <translation>手动选择的聊天模板，代替检查点自带的模板</translation>
    </message>
    <message>
        <source>packed</source>
        <translation>已重排</translation>
    </message>
    <message>
        <source>not packed</source>
        <translation>未重排</translation>
    </message>
    <message>
        <source>Packed: weights are laid out for the processor when they are loaded</source>
        <translation>已重排：权重在加载时按处理器的读取方式排列</translation>
    </message>
    <message>
        <source>acts %1</source>
        <translation>激活 %1</translation>
    </message>
    <message>
        <source>Activations that meet quantised weights: int8, or int8 in two terms; bf16: all products are of bf16 numbers</source>
        <translation>与量化权重相乘的激活：int8，或两项 int8；bf16：所有乘积均为 bf16 数</translation>
    </message>
    <message>
        <source>pinned threads</source>
        <translation>线程绑核</translation>
    </message>
    <message>
        <source>free threads</source>
        <translation>线程不绑核</translation>
    </message>
    <message>
        <source>Pinned: every thread stays on a core of its own</source>
        <translation>绑核：每个线程固定在各自的核心上</translation>
    </message>
    <message>
        <source>own products</source>
        <translation>自有矩阵乘法</translation>
    </message>
    <message>
        <source>Who multiplies f16 and bf16 matrices on a GPU: the lane&apos;s own kernels, or NVIDIA&apos;s cuBLASLt</source>
        <translation>GPU 上由谁计算 f16 和 bf16 矩阵乘法：通道自有内核，或 NVIDIA 的 cuBLASLt</translation>
    </message>
    <message>
        <source>sampled on the GPU</source>
        <translation>在 GPU 上采样</translation>
    </message>
    <message>
        <source>sampled on the processor</source>
        <translation>在处理器上采样</translation>
    </message>
    <message>
        <source>Where a GPU lane&apos;s tokens are chosen: on the GPU only they are copied back, on the processor all logits are</source>
        <translation>GPU 通道的 token 在何处选取：在 GPU 上只拷回 token，在处理器上拷回全部 logits</translation>
    </message>
    <message>
        <source>%1 turned</source>
        <translation>%1 旋转</translation>
    </message>
    <message>
        <source>Only the last keys and the first ones are looked at; what lies between is given up</source>
        <translation>只看最后的键和最前的键；中间的被放弃</translation>
    </message>
    <message>
        <source>Only the last blocks of keys and every so many-th are looked at</source>
        <translation>只看最后几块键以及每隔若干块的一块</translation>
    </message>
    <message>
        <source>Only the blocks whose keys may match a query best are looked at</source>
        <translation>只看键可能与查询最匹配的块</translation>
    </message>
    <message>
        <source>Beside the last keys only those that got the most weight so far are kept; the others are given up</source>
        <translation>除最后的键外，只保留迄今获得权重最多的键；其余的被放弃</translation>
    </message>
</context>
<context>
    <name>MetadataRows</name>
    <message>
        <source>… %1 more</source>
        <translation>… 还有 %1 项</translation>
    </message>
    <message>
        <source>%1 lists</source>
        <translation>%1 个列表</translation>
    </message>
</context>
<context>
    <name>ModelFacts</name>
    <message>
        <source>no</source>
        <translation>无</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>有</translation>
    </message>
    <message>
        <source>where the file has one</source>
        <translation>文件中有则用</translation>
    </message>
    <message>
        <source>cannot be used: %1</source>
        <translation>无法使用：%1</translation>
    </message>
    <message>
        <source>%1, %2 tokens</source>
        <translation>%1，%2 个 token</translation>
    </message>
    <message>
        <source>none: choose one by hand, or use text prompts</source>
        <translation>无：请手动选择一个，或使用原始文本</translation>
    </message>
    <message numerus="yes">
        <source>yes, %n character(s)</source>
        <translation>
            <numerusform>有，%n 个字符</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 (each with its own K and V)</source>
        <translation>%1（各有自己的 K 和 V）</translation>
    </message>
    <message>
        <source>%1, %2 KV heads</source>
        <translation>%1，KV 头 %2</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Counted from the tensors</source>
        <translation>由张量统计</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>%1, width %2, MLP %3</source>
        <translation>%1，宽度 %2，MLP %3</translation>
    </message>
    <message>
        <source>Attention heads</source>
        <translation>注意力头</translation>
    </message>
    <message>
        <source>Fewer KV heads than heads make the KV cache smaller</source>
        <translation>KV 头比注意力头少，KV 缓存就更小</translation>
    </message>
    <message>
        <source>Trained context</source>
        <translation>训练上下文</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个 token</translation>
    </message>
    <message>
        <source>The longest text the model was trained on</source>
        <translation>模型训练时的最长文本</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>聊天模板</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n tensor(s), %2</source>
        <translation>
            <numerusform>%1，%n 个张量，%2</numerusform>
        </translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Size of the residual stream</source>
        <translation>残差流的大小</translation>
    </message>
    <message>
        <source>MLP width</source>
        <translation>MLP 宽度</translation>
    </message>
    <message>
        <source>Head size</source>
        <translation>头大小</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>%1 rows, %2 of them tokens</source>
        <translation>%1 行，其中 %2 个是 token</translation>
    </message>
    <message>
        <source>Rows of the embedding; those without a token are never sampled</source>
        <translation>嵌入的行数；没有 token 的行不会被采样</translation>
    </message>
    <message>
        <source>Output head</source>
        <translation>输出头</translation>
    </message>
    <message>
        <source>shares the embedding</source>
        <translation>与嵌入共用</translation>
    </message>
    <message>
        <source>its own matrix</source>
        <translation>独立矩阵</translation>
    </message>
    <message>
        <source>RoPE</source>
        <translation>RoPE</translation>
    </message>
    <message>
        <source>%1 of %2 values a head, base %3</source>
        <translation>每头 %2 个值中的 %1 个，基数 %3</translation>
    </message>
    <message>
        <source>Rotary position embedding</source>
        <translation>旋转位置嵌入</translation>
    </message>
    <message>
        <source>RoPE layout</source>
        <translation>RoPE 排布</translation>
    </message>
    <message>
        <source>halves (i, i + n/2)</source>
        <translation>前后两半 (i, i + n/2)</translation>
    </message>
    <message>
        <source>neighbours (2i, 2i + 1)</source>
        <translation>相邻 (2i, 2i + 1)</translation>
    </message>
    <message>
        <source>RoPE scaling</source>
        <translation>RoPE 缩放</translation>
    </message>
    <message>
        <source>How positions beyond the first trained context are reached</source>
        <translation>如何到达最初训练上下文之外的位置</translation>
    </message>
    <message>
        <source>Norm epsilon</source>
        <translation>归一化 epsilon</translation>
    </message>
    <message>
        <source>Bias on Q, K, V</source>
        <translation>Q、K、V 偏置</translation>
    </message>
    <message>
        <source>Bias on the output</source>
        <translation>输出偏置</translation>
    </message>
    <message>
        <source>Bias in the MLP</source>
        <translation>MLP 偏置</translation>
    </message>
    <message>
        <source>KV cache a token</source>
        <translation>每 token 的 KV 缓存</translation>
    </message>
    <message>
        <source>2 x layers x KV heads x head size x 2 bytes (fp16)</source>
        <translation>2 × 层数 × KV 头 × 头大小 × 2 字节（fp16）</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>File size</source>
        <translation>文件大小</translation>
    </message>
    <message>
        <source>Tensor data</source>
        <translation>张量数据</translation>
    </message>
    <message>
        <source>Bytes of all tensors; they are mapped, not copied</source>
        <translation>全部张量的字节数；它们被映射，不被复制</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>略去</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) of types that are not read</source>
        <translation>
            <numerusform>%n 个张量的类型不被读取</numerusform>
        </translation>
    </message>
    <message>
        <source>Opened in</source>
        <translation>打开用时</translation>
    </message>
    <message>
        <source>BOS</source>
        <translation>BOS</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Token that starts a text</source>
        <translation>文本开头的 token</translation>
    </message>
    <message>
        <source>Ends of generation</source>
        <translation>生成结束符</translation>
    </message>
    <message>
        <source>Tokens after which an answer is finished</source>
        <translation>出现后回答即结束的 token</translation>
    </message>
    <message>
        <source>est. %1 = weights %2 (mapped) + KV %3 + compute %4 for %5 tokens; %6 free</source>
        <translation>估计 %1 = 权重 %2（映射）+ KV %3 + 计算 %4，按 %5 个 token 计；空闲 %6</translation>
    </message>
    <message>
        <source>not known how much</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>How much is free cannot be read here.</source>
        <translation>这里无法读取空闲内存。</translation>
    </message>
    <message>
        <source>Does not fit, whatever the context: close other programs or choose a smaller model.</source>
        <translation>无论上下文多短都放不下：请关闭其他程序或选择更小的模型。</translation>
    </message>
    <message>
        <source>More than is free.</source>
        <translation>超过空闲内存。</translation>
    </message>
    <message>
        <source>The whole trained context of %1 tokens fits.</source>
        <translation>可放下全部训练上下文（%1 个 token）。</translation>
    </message>
    <message>
        <source>Largest context that fits: %1 tokens.</source>
        <translation>可放下的最大上下文：%1 个 token。</translation>
    </message>
    <message>
        <source>Positions</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>a learned table of %1 rows</source>
        <translation>学习得到的 %1 行位置表</translation>
    </message>
    <message>
        <source>No text can be longer than the table</source>
        <translation>文本不能比位置表更长</translation>
    </message>
    <message>
        <source>RoPE of windowed layers</source>
        <translation>窗口层的 RoPE</translation>
    </message>
    <message>
        <source>base %1, scaling %2</source>
        <translation>基数 %1，缩放 %2</translation>
    </message>
    <message>
        <source>Sliding window</source>
        <translation>滑动窗口</translation>
    </message>
    <message>
        <source>%1 tokens, in %2 of %3 layers</source>
        <translation>%1 个 token，%3 层中的 %2 层</translation>
    </message>
    <message>
        <source>A token sees only so many before it there</source>
        <translation>这些层中 token 只看到之前这么多个</translation>
    </message>
    <message>
        <source>Attention scale</source>
        <translation>注意力缩放</translation>
    </message>
    <message>
        <source>Attention soft cap</source>
        <translation>注意力软上限</translation>
    </message>
    <message>
        <source>layer norm</source>
        <translation>LayerNorm</translation>
    </message>
    <message>
        <source>RMS norm</source>
        <translation>RMSNorm</translation>
    </message>
    <message>
        <source>again after each half</source>
        <translation>每个子层之后再做一次</translation>
    </message>
    <message>
        <source>on Q and K of each head</source>
        <translation>每个头的 Q 和 K</translation>
    </message>
    <message>
        <source>Norms</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>MLP</source>
        <translation>MLP</translation>
    </message>
    <message>
        <source>gated, %1</source>
        <translation>门控，%1</translation>
    </message>
    <message>
        <source>plain, %1</source>
        <translation>普通，%1</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>attention and MLP side by side</source>
        <translation>注意力与 MLP 并行</translation>
    </message>
    <message>
        <source>attention, then MLP</source>
        <translation>先注意力，后 MLP</translation>
    </message>
    <message>
        <source>Embedding scale</source>
        <translation>嵌入缩放</translation>
    </message>
    <message>
        <source>Residual scale</source>
        <translation>残差缩放</translation>
    </message>
    <message>
        <source>Logit scale</source>
        <translation>logit 缩放</translation>
    </message>
    <message>
        <source>Logit soft cap</source>
        <translation>logit 软上限</translation>
    </message>
</context>
<context>
    <name>OpRows</name>
    <message>
        <source>Arithmetic roof: int8 (int8 activations meet block-quantised weights)</source>
        <translation>算力上限：int8（int8 激活乘以分块量化的权重）</translation>
    </message>
    <message>
        <source>Arithmetic roof: bf16 (all operands are bf16 numbers)</source>
        <translation>算力上限：bf16（所有操作数均为 bf16）</translation>
    </message>
    <message>
        <source>Arithmetic roof: fp32</source>
        <translation>算力上限：fp32</translation>
    </message>
    <message>
        <source>At most %1 GFLOP/s at this intensity</source>
        <translation>在此强度下至多 %1 GFLOP/s</translation>
    </message>
    <message>
        <source>Cache: above 100 %, since the data came from the caches, which are faster than memory</source>
        <translation>缓存：超过 100 %，因为数据来自比内存更快的处理器缓存</translation>
    </message>
    <message>
        <source>Phases enclose ops and have no roof</source>
        <translation>阶段包含算子，自身没有屋顶线</translation>
    </message>
    <message>
        <source>This op counts no bytes and no arithmetic</source>
        <translation>该算子不计字节数和运算量</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Arithmetic</source>
        <translation>算力</translation>
    </message>
    <message>
        <source>The roof of the machine was not measured with this run.</source>
        <translation>此次运行未测量机器的屋顶线。</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>总计</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>GFLOP/s</source>
        <translation>GFLOP/s</translation>
    </message>
    <message>
        <source>Intensity</source>
        <translation>强度</translation>
    </message>
    <message>
        <source>% of roof</source>
        <translation>屋顶线占比</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>Lane of the run</source>
        <translation>运行中的通道</translation>
    </message>
    <message>
        <source>What the engine was doing</source>
        <translation>引擎在做什么</translation>
    </message>
    <message>
        <source>Spans of the timed requests</source>
        <translation>计时请求的区段</translation>
    </message>
    <message>
        <source>Sum of their durations</source>
        <translation>时长之和</translation>
    </message>
    <message>
        <source>Part of the sum over all ops of the lane; phases are not ops</source>
        <translation>占该通道所有算子总和的比例；阶段不算算子</translation>
    </message>
    <message>
        <source>Mean duration</source>
        <translation>平均时长</translation>
    </message>
    <message>
        <source>95th percentile of the durations</source>
        <translation>时长的第 95 百分位</translation>
    </message>
    <message>
        <source>Bytes the op must move, divided by its time</source>
        <translation>算子必须搬运的字节数除以其时间</translation>
    </message>
    <message>
        <source>Floating-point operations divided by time</source>
        <translation>浮点运算次数除以时间</translation>
    </message>
    <message>
        <source>Arithmetic intensity in FLOP/byte: floating-point operations for each byte that must be moved</source>
        <translation>算术强度（FLOP/字节）：每搬运一个字节所做的浮点运算数</translation>
    </message>
    <message>
        <source>Time the machine&apos;s roof would need, max(bytes / read bandwidth, operations / peak), divided by the time measured</source>
        <translation>机器屋顶线所需的时间，即 max(字节数 / 读带宽, 运算数 / 峰值)，除以实测时间</translation>
    </message>
    <message>
        <source>The roof the op meets first: reading from memory, or arithmetic</source>
        <translation>该算子先碰到的上限：读内存或算力</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Timed by</source>
        <translation>计时方</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>占用率</translation>
    </message>
    <message>
        <source>Process of the trace</source>
        <translation>跟踪中的进程</translation>
    </message>
    <message>
        <source>What the time is summed by</source>
        <translation>时间按此汇总</translation>
    </message>
    <message>
        <source>CPU: the engine&apos;s own clock readings. GPU: the device&apos;s. The two are never added up.</source>
        <translation>CPU：引擎自己的时钟读数。GPU：设备的时钟读数。两者从不相加。</translation>
    </message>
    <message>
        <source>Events of the trace</source>
        <translation>跟踪中的事件</translation>
    </message>
    <message>
        <source>Warps that can be resident on a multiprocessor, as a part of the most it can hold; mean by time</source>
        <translation>一个多处理器上可驻留的 warp 数占其上限的比例；按时间平均</translation>
    </message>
    <message>
        <source>Bytes that the ops count, against the measured bandwidth of the device; its arithmetic was not measured</source>
        <translation>算子统计的字节数与设备实测带宽之比；设备的算力未测量</translation>
    </message>
    <message>
        <source>Sum of what the roof of each op would need</source>
        <translation>各算子按其屋顶所需时间之和</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>outside requests</source>
        <translation>请求之外</translation>
    </message>
    <message>
        <source>request %1</source>
        <translation>请求 %1</translation>
    </message>
    <message>
        <source>no op</source>
        <translation>无算子</translation>
    </message>
    <message>
        <source>outside the layers</source>
        <translation>层之外</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
</context>
<context>
    <name>Ops</name>
    <message>
        <source>Embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Quantise activations</source>
        <translation>量化激活</translation>
    </message>
    <message>
        <source>QKV projection</source>
        <translation>QKV 投影</translation>
    </message>
    <message>
        <source>RoPE</source>
        <translation>RoPE</translation>
    </message>
    <message>
        <source>KV write</source>
        <translation>KV 写入</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Output projection</source>
        <translation>输出投影</translation>
    </message>
    <message>
        <source>Gate + up</source>
        <translation>门控 + 上投影</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>激活函数</translation>
    </message>
    <message>
        <source>Down projection</source>
        <translation>下投影</translation>
    </message>
    <message>
        <source>Residual add</source>
        <translation>残差相加</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>输出头</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Detokenise</source>
        <translation>反分词</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>Decode step</source>
        <translation>解码步</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>预热</translation>
    </message>
</context>
<context>
    <name>PdfReport</name>
    <message>
        <source>Lane</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>TTFT ms</source>
        <translation>TTFT 毫秒</translation>
    </message>
    <message>
        <source>ITL p50 / p95 / p99 ms</source>
        <translation>ITL p50 / p95 / p99 毫秒</translation>
    </message>
    <message>
        <source>TPOT ms</source>
        <translation>TPOT 毫秒</translation>
    </message>
    <message>
        <source>decode tok/s</source>
        <translation>解码 tok/s</translation>
    </message>
    <message>
        <source>prefill tok/s</source>
        <translation>预填充 tok/s</translation>
    </message>
    <message>
        <source>KV peak</source>
        <translation>KV 峰值</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求数</translation>
    </message>
</context>
<context>
    <name>ServingPolicy</name>
    <message>
        <source>Continuous</source>
        <translation>连续</translation>
    </message>
    <message>
        <source>Static</source>
        <translation>静态</translation>
    </message>
    <message>
        <source>Sequential</source>
        <translation>逐个</translation>
    </message>
    <message>
        <source>Requests join and leave at every pass; prompts are computed in pieces beside the others&apos; decoding (arXiv 2308.16369)</source>
        <translation>请求在每一趟都可以加入和离开；提示分块计算，与其他请求的解码并行（arXiv 2308.16369）</translation>
    </message>
    <message>
        <source>A batch is filled while nothing runs and then runs to its last request&apos;s end</source>
        <translation>空闲时凑满一批，然后运行到其中最后一个请求结束</translation>
    </message>
    <message>
        <source>One request at a time</source>
        <translation>一次只运行一个请求</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
</context>
<context>
    <name>ServingTable</name>
    <message>
        <source>first token within %1 ms and %2 ms a token after it</source>
        <translation>首个 token 在 %1 ms 内，其后每个 token %2 ms</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>Requests that ended well, of all</source>
        <translation>正常结束的请求数／总数</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>tok/s</translation>
    </message>
    <message>
        <source>Tokens given out / time from first arrival to last end</source>
        <translation>输出的 token 数 ÷ 从首个请求到达到最后一个结束的时间</translation>
    </message>
    <message>
        <source>× sequential</source>
        <translation>× 逐个</translation>
    </message>
    <message>
        <source>tok/s of this policy / tok/s of Sequential</source>
        <translation>本策略的 tok/s ÷ 逐个策略的 tok/s</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>有效吞吐</translation>
    </message>
    <message>
        <source>Requests a second that kept the goal: %1 (arXiv 2401.09670)</source>
        <translation>每秒达到目标的请求数：%1（arXiv 2401.09670）</translation>
    </message>
    <message>
        <source>Goal kept %</source>
        <translation>达标 %</translation>
    </message>
    <message>
        <source>Of all requests: %1</source>
        <translation>占全部请求：%1</translation>
    </message>
    <message>
        <source>TTFT p50 ms</source>
        <translation>TTFT p50 ms</translation>
    </message>
    <message>
        <source>Arrival to first token, of a request</source>
        <translation>请求从到达到首个 token</translation>
    </message>
    <message>
        <source>TTFT p95 ms</source>
        <translation>TTFT p95 ms</translation>
    </message>
    <message>
        <source>ITL p50 ms</source>
        <translation>ITL p50 ms</translation>
    </message>
    <message>
        <source>Every gap between two tokens of a request</source>
        <translation>同一请求相邻两个 token 之间的每个间隔</translation>
    </message>
    <message>
        <source>ITL p95 ms</source>
        <translation>ITL p95 ms</translation>
    </message>
    <message>
        <source>ITL p99 ms</source>
        <translation>ITL p99 ms</translation>
    </message>
    <message>
        <source>TPOT p50 ms</source>
        <translation>TPOT p50 ms</translation>
    </message>
    <message>
        <source>(end − first token) / (tokens − 1), of a request</source>
        <translation>请求的（结束 − 首个 token）÷（token 数 − 1）</translation>
    </message>
    <message>
        <source>Queue p95 ms</source>
        <translation>排队 p95 ms</translation>
    </message>
    <message>
        <source>Arrival to the first KV blocks, of a request</source>
        <translation>请求从到达到获得首批 KV 块</translation>
    </message>
    <message>
        <source>Batch %</source>
        <translation>批 %</translation>
    </message>
    <message>
        <source>Requests in a pass / most at once, mean over the passes&apos; time</source>
        <translation>一趟中的请求数 ÷ 同时上限，按各趟时间平均</translation>
    </message>
    <message>
        <source>KV %</source>
        <translation>KV %</translation>
    </message>
    <message>
        <source>KV blocks held / all blocks, mean over the passes&apos; time</source>
        <translation>占用的 KV 块 ÷ 全部块，按各趟时间平均</translation>
    </message>
    <message>
        <source>Preempted</source>
        <translation>抢占</translation>
    </message>
    <message>
        <source>Times that a request had to give its blocks back and was computed again</source>
        <translation>请求被迫交还块并重新计算的次数</translation>
    </message>
    <message>
        <source>Reused</source>
        <translation>复用</translation>
    </message>
    <message>
        <source>Prompt tokens whose KV blocks were in the cache already</source>
        <translation>KV 块已在缓存中的提示 token 数</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>First arrival to last end</source>
        <translation>从首个请求到达到最后一个结束</translation>
    </message>
    <message>
        <source>All %1 policies gave the same tokens: %2 in %3 requests.</source>
        <translation>%1 种策略给出的 token 完全相同：%3 个请求共 %2 个。</translation>
    </message>
    <message>
        <source>The policies gave different tokens: first in request %1, token %2.</source>
        <translation>各策略给出的 token 不同：首先在请求 %1 的第 %2 个 token。</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>Note: %1.</source>
        <translation>注意：%1。</translation>
    </message>
</context>
<context>
    <name>StatCells</name>
    <message>
        <source>= baseline</source>
        <translation>= 基线</translation>
    </message>
    <message>
        <source>Better than the baseline (Welch&apos;s t-test, 95 %).</source>
        <translation>优于基线（Welch t 检验，95 %）。</translation>
    </message>
    <message>
        <source>Worse than the baseline (Welch&apos;s t-test, 95 %).</source>
        <translation>劣于基线（Welch t 检验，95 %）。</translation>
    </message>
    <message>
        <source>Within the noise of the repetitions (Welch&apos;s t-test, 95 %).</source>
        <translation>在重复测量的噪声之内（Welch t 检验，95 %）。</translation>
    </message>
    <message>
        <source>Noise is not known for this figure: more repetitions would tell.</source>
        <translation>此项的噪声未知：需要更多次重复才能判断。</translation>
    </message>
    <message>
        <source>n = %1</source>
        <translation>n = %1</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>Time to first token: from the start of the request to its first token, mean over requests.</source>
        <translation>首 token 时间：从请求开始到第一个 token，取各请求的平均值。</translation>
    </message>
    <message>
        <source>Inter-token latency: time between two neighbouring tokens; %1 of all gaps.</source>
        <translation>token 间延迟：相邻两个 token 之间的时间；所有间隔的%1。</translation>
    </message>
    <message>
        <source>ITL p50</source>
        <translation>ITL p50</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>95th percentile</source>
        <translation>第 95 百分位</translation>
    </message>
    <message>
        <source>99th percentile</source>
        <translation>第 99 百分位</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>Time per output token: (end-to-end − TTFT) / (tokens − 1), mean over requests.</source>
        <translation>每个输出 token 的时间：（端到端 − TTFT）/（token 数 − 1），取各请求的平均值。</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>tok/s</translation>
    </message>
    <message>
        <source>Decoding speed of one request: 1000 / TPOT in ms.</source>
        <translation>单个请求的解码速度：1000 / TPOT（毫秒）。</translation>
    </message>
    <message>
        <source>KV</source>
        <translation>KV</translation>
    </message>
    <message>
        <source>Largest KV cache a request held: bytes of its blocks, K and V, all layers.</source>
        <translation>一个请求占用的最大 KV 缓存：其块的字节数，含 K 和 V、所有层。</translation>
    </message>
    <message>
        <source>prefill tok/s</source>
        <translation>预填充 tok/s</translation>
    </message>
    <message>
        <source>Prompt tokens / time from the start of the request to the end of prefill.</source>
        <translation>提示词 token 数 / 从请求开始到预填充结束的时间。</translation>
    </message>
    <message>
        <source>Speed within the noise of baseline %1</source>
        <translation>速度与基线 %1 的差别在噪声之内</translation>
    </message>
    <message>
        <source>Faster than baseline %1: %2 more tok/s</source>
        <translation>比基线 %1 快：tok/s 高 %2</translation>
    </message>
    <message>
        <source>Slower than baseline %1: %2 less tok/s</source>
        <translation>比基线 %1 慢：tok/s 低 %2</translation>
    </message>
    <message>
        <source>Faster than baseline %1: %2 more tok/s (one repetition)</source>
        <translation>比基线 %1 快：tok/s 高 %2（仅一次重复）</translation>
    </message>
    <message>
        <source>Slower than baseline %1: %2 less tok/s (one repetition)</source>
        <translation>比基线 %1 慢：tok/s 低 %2（仅一次重复）</translation>
    </message>
    <message>
        <source>ITL p95</source>
        <translation>ITL p95</translation>
    </message>
    <message>
        <source>ITL p99</source>
        <translation>ITL p99</translation>
    </message>
</context>
<context>
    <name>TemplateLibrary</name>
    <message>
        <source>edited</source>
        <translation>已编辑</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>GPU %1</source>
        <translation>GPU %1</translation>
    </message>
    <message>
        <source>process %1</source>
        <translation>进程 %1</translation>
    </message>
    <message>
        <source>outside the lanes</source>
        <translation>通道之外</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>CPU ops</source>
        <translation>CPU 算子</translation>
    </message>
    <message>
        <source>stream %1</source>
        <translation>流 %1</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <source>profiler</source>
        <translation>分析器</translation>
    </message>
    <message>
        <source>thread %1</source>
        <translation>线程 %1</translation>
    </message>
</context>
<context>
    <name>TimelineItem</name>
    <message>
        <source>launched by %1</source>
        <translation>由 %1 启动</translation>
    </message>
    <message>
        <source>%1 × %2 × %3 blocks of %4 × %5 × %6 threads</source>
        <translation>%1 × %2 × %3 个线程块，每块 %4 × %5 × %6 个线程</translation>
    </message>
    <message>
        <source>%1 registers a thread · %2 shared memory a block</source>
        <translation>每线程 %1 个寄存器 · 每块 %2 共享内存</translation>
    </message>
    <message>
        <source>occupancy %1 %</source>
        <translation>占用率 %1 %</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>request %1</source>
        <translation>请求 %1</translation>
    </message>
    <message>
        <source>begins at %1</source>
        <translation>开始于 %1</translation>
    </message>
</context>
<context>
    <name>TokenColumn</name>
    <message>
        <source>%1 tokens …</source>
        <translation>%1 个 token …</translation>
    </message>
    <message>
        <source>prefill %1 / %2</source>
        <translation>预填充 %1 / %2</translation>
    </message>
    <message>
        <source>%1 tokens · stop</source>
        <translation>%1 个 token · 结束</translation>
    </message>
    <message>
        <source>%1 tokens · length</source>
        <translation>%1 个 token · 达到长度</translation>
    </message>
    <message>
        <source>%1 tokens · context full</source>
        <translation>%1 个 token · 上下文已满</translation>
    </message>
    <message>
        <source>%1 tokens · cancelled</source>
        <translation>%1 个 token · 已取消</translation>
    </message>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
</context>
<context>
    <name>TokenizedText</name>
    <message>
        <source>decoding differs from character %1: &quot;%2&quot; became &quot;%3&quot;</source>
        <translation>解码从第 %1 个字符起不同：“%2”变成了“%3”</translation>
    </message>
</context>
<context>
    <name>TraceOpener</name>
    <message>
        <source>counters</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>instants</source>
        <translation>瞬时事件</translation>
    </message>
    <message>
        <source>asynchronous</source>
        <translation>异步事件</translation>
    </message>
    <message>
        <source>%1 events on %2 threads</source>
        <translation>%1 个事件，%2 个线程</translation>
    </message>
    <message>
        <source>the file ends in the middle</source>
        <translation>文件在中途结束</translation>
    </message>
    <message>
        <source>only the first %1 events are shown</source>
        <translation>仅显示前 %1 个事件</translation>
    </message>
    <message>
        <source>%1 never ended: drawn to the end of their thread</source>
        <translation>%1 个没有结束：画到其线程末尾</translation>
    </message>
    <message>
        <source>%1 ended without a beginning: left out</source>
        <translation>%1 个没有开始就结束：已略去</translation>
    </message>
    <message>
        <source>%1 without a valid time: left out</source>
        <translation>%1 个没有有效时间：已略去</translation>
    </message>
    <message>
        <source>not shown: %1</source>
        <translation>未显示：%1</translation>
    </message>
</context>
<context>
    <name>lanescope::app::AppContext</name>
    <message>
        <source>Six lanes are the most that can be compared</source>
        <translation>最多可以比较六个通道</translation>
    </message>
    <message>
        <source>Remove one, then open the model again.</source>
        <translation>请先移除一个，再重新打开模型。</translation>
    </message>
    <message>
        <source>Stored runs cannot be opened</source>
        <translation>无法打开已保存的运行</translation>
    </message>
    <message>
        <source>A run is in progress</source>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>Stop it, or open the stored run afterwards.</source>
        <translation>请先停止，或稍后再打开已保存的运行。</translation>
    </message>
    <message>
        <source>Open stored run</source>
        <translation>打开已保存的运行</translation>
    </message>
    <message>
        <source>%1 is not there</source>
        <translation>%1 不存在</translation>
    </message>
    <message>
        <source>Change the model</source>
        <translation>更换模型</translation>
    </message>
    <message>
        <source>%1 is not a model, a plan, a stored run or a trace</source>
        <translation>%1 不是模型、计划、已存储的运行，也不是跟踪文件</translation>
    </message>
    <message>
        <source>Models are .gguf or .safetensors files, or folders with a config.json; plans and traces are JSON files.</source>
        <translation>模型是 .gguf 或 .safetensors 文件，或含 config.json 的文件夹；计划和跟踪是 JSON 文件。</translation>
    </message>
</context>
<context>
    <name>lanescope::app::BackgroundJob</name>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
</context>
<context>
    <name>lanescope::app::BarList</name>
    <message>
        <source>Copy as Markdown</source>
        <translation>复制为 Markdown</translation>
    </message>
    <message numerus="yes">
        <source>%1 · %2 % · %n tensor(s)</source>
        <translation>
            <numerusform>%1 · %2 % · %n 个张量</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 elements</source>
        <translation>%1 个元素</translation>
    </message>
</context>
<context>
    <name>lanescope::app::BlockView</name>
    <message>
        <source>held (colour: the sequence)</source>
        <translation>占用（颜色：所属序列）</translation>
    </message>
    <message>
        <source>shared</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>kept, content known</source>
        <translation>保留，内容已知</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>evicted</source>
        <translation>已驱逐</translation>
    </message>
    <message>
        <source>positions %1 to %2</source>
        <translation>位置 %1 到 %2</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>块 %1</translation>
    </message>
    <message>
        <source>held by request %1</source>
        <translation>由请求 %1 占用</translation>
    </message>
    <message numerus="yes">
        <source>%n reader(s)</source>
        <translation>
            <numerusform>%n 个读者</numerusform>
        </translation>
    </message>
    <message>
        <source>kept: read by none, its content is known (last: request %1)</source>
        <translation>保留：无人读取，内容已知（最后是请求 %1）</translation>
    </message>
    <message>
        <source>free: its known content had to make room</source>
        <translation>空闲：其已知内容已让位</translation>
    </message>
    <message>
        <source>Copy as PNG</source>
        <translation>复制为 PNG</translation>
    </message>
    <message>
        <source>Copy as SVG</source>
        <translation>复制为 SVG</translation>
    </message>
</context>
<context>
    <name>lanescope::app::BlocksTab</name>
    <message>
        <source>Blocks in a pass</source>
        <translation>每一趟的块</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Here every block of the KV cache is a cell: which sequence holds it, which are shared, kept or evicted, while a run or the serving of many requests goes on, and afterwards at any moment; memory by lane over time beside it.</source>
        <translation>这里 KV 缓存的每个块是一个格子：由哪个序列占用，哪些被共享、保留或驱逐。运行或服务众多请求时实时显示，之后可查看任意时刻；旁边是各通道的内存随时间的变化。</translation>
    </message>
    <message>
        <source>Lane whose blocks are shown</source>
        <translation>显示哪个通道的块</translation>
    </message>
    <message>
        <source>Moment that is shown</source>
        <translation>显示的时刻</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Show how the blocks stand now</source>
        <translation>显示块的当前状态</translation>
    </message>
    <message>
        <source>Bytes of the blocks in use, keys and values of all layers</source>
        <translation>在用块的字节数，包括所有层的键和值</translation>
    </message>
    <message>
        <source>When each forward pass began: blocks held, those of them that two or more sequences read, and blocks kept for their known content</source>
        <translation>每趟前向开始时：占用的块、其中被两个以上序列读取的块，以及因内容已知而保留的块</translation>
    </message>
    <message>
        <source>Blocks of the KV cache</source>
        <translation>KV 缓存的块</translation>
    </message>
    <message>
        <source>Lane %1</source>
        <translation>通道 %1</translation>
    </message>
    <message>
        <source>Serving:</source>
        <translation>服务：</translation>
    </message>
    <message>
        <source>Run:</source>
        <translation>运行：</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>No block has been used yet.</source>
        <translation>还没有用过任何块。</translation>
    </message>
    <message>
        <source>%1 s / %2 s</source>
        <translation>%1 s / %2 s</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>%1 of %2 tokens</source>
        <translation>%1 个，每个 %2 token</translation>
    </message>
    <message>
        <source>Of the lane&apos;s pool; a block holds its tokens&apos; keys and values of all layers</source>
        <translation>通道块池中的块；一个块存放其 token 在所有层的键和值</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>块大小</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>Held by two or more sequences</source>
        <translation>被两个以上序列占用</translation>
    </message>
    <message>
        <source>Saved by sharing</source>
        <translation>共享节省</translation>
    </message>
    <message>
        <source>Blocks that would be there a second time: readers beyond the first</source>
        <translation>否则会多出的块：第一个之外的读者数</translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Held by none; their content is known and is read again when a text begins so</source>
        <translation>无人占用；内容已知，遇到同样开头的文本时会再次读取</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Evictions</source>
        <translation>驱逐</translation>
    </message>
    <message>
        <source>Kept blocks that had to make room, up to this moment</source>
        <translation>到此刻为止被迫让位的保留块</translation>
    </message>
    <message>
        <source>Empty places</source>
        <translation>空位</translation>
    </message>
    <message>
        <source>time since the first block (s)</source>
        <translation>自首个块起的时间（s）</translation>
    </message>
    <message>
        <source>held</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>shared</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>KV memory</source>
        <translation>KV 内存</translation>
    </message>
    <message>
        <source>Fragmentation: places of tokens in held blocks that held none when the pass began</source>
        <translation>碎片：这一趟开始时，占用块中没有存放 token 的位置</translation>
    </message>
    <message>
        <source>The blocks of a stored run are not kept one by one: run it again to see them.</source>
        <translation>已存储的运行不保留逐个的块：再次运行即可看到。</translation>
    </message>
</context>
<context>
    <name>lanescope::app::CachePage</name>
    <message>
        <source>Parts of the cache page</source>
        <translation>缓存页的各部分</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Calculator</source>
        <translation>计算器</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Serve requests and watch the blocks</source>
        <translation>服务一批请求并观察块</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
</context>
<context>
    <name>lanescope::app::CalculatorTab</name>
    <message>
        <source>From</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>Fills the shape in from a lane&apos;s model and its KV formats</source>
        <translation>用通道的模型及其 KV 格式填入形状</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>That have a KV cache</source>
        <translation>有 KV 缓存的层</translation>
    </message>
    <message>
        <source>KV heads</source>
        <translation>KV 头数</translation>
    </message>
    <message>
        <source>Fewer than the query heads with grouped-query attention</source>
        <translation>使用分组查询注意力时少于查询头</translation>
    </message>
    <message>
        <source>Head size</source>
        <translation>头大小</translation>
    </message>
    <message>
        <source>Columns of a head</source>
        <translation>一个头的列数</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token 数</translation>
    </message>
    <message>
        <source>Of each sequence</source>
        <translation>每个序列的</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批</translation>
    </message>
    <message>
        <source>Sequences at once</source>
        <translation>同时的序列数</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Tokens of a block; sequences take whole blocks</source>
        <translation>一个块的 token 数；序列占用整块</translation>
    </message>
    <message>
        <source>Keys as</source>
        <translation>键存为</translation>
    </message>
    <message>
        <source>Format that keys are stored in</source>
        <translation>键的存储格式</translation>
    </message>
    <message>
        <source>Values as</source>
        <translation>值存为</translation>
    </message>
    <message>
        <source>Format that values are stored in</source>
        <translation>值的存储格式</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Every format for this shape</source>
        <translation>此形状下的每种格式</translation>
    </message>
    <message>
        <source>numbers below</source>
        <translation>下方的数字</translation>
    </message>
    <message>
        <source>A token in a layer</source>
        <translation>每层每个 token</translation>
    </message>
    <message>
        <source>Keys and values, with a token&apos;s share of what scales them</source>
        <translation>键和值，以及每个 token 分摊的缩放量</translation>
    </message>
    <message>
        <source>A token</source>
        <translation>每个 token</translation>
    </message>
    <message>
        <source>In all layers</source>
        <translation>所有层</translation>
    </message>
    <message>
        <source>A sequence</source>
        <translation>每个序列</translation>
    </message>
    <message>
        <source>%1 (%2 tokens in %3 blocks of %4)</source>
        <translation>%1（%2 个 token，占 %3 个大小为 %4 的块）</translation>
    </message>
    <message>
        <source>Keys of open blocks</source>
        <translation>未满块的键</translation>
    </message>
    <message>
        <source>int4 keys are coded a block at a time; until a block is whole they stay as they are</source>
        <translation>int4 的键按块编码；块未满之前保持原样</translation>
    </message>
    <message>
        <source>All</source>
        <translation>合计</translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n sequence(s))</source>
        <translation>
            <numerusform>%1（%n 个序列）</numerusform>
        </translation>
    </message>
    <message>
        <source>Allocated in the last run</source>
        <translation>上次运行实际分配</translation>
    </message>
    <message>
        <source>%1 for %2 tokens</source>
        <translation>%1，可存 %2 个 token</translation>
    </message>
    <message>
        <source>What this lane&apos;s pool really took, with its own context</source>
        <translation>此通道的块池按其上下文实际占用的内存</translation>
    </message>
    <message>
        <source>K and V as</source>
        <translation>K 和 V 存为</translation>
    </message>
    <message>
        <source>Bytes a token</source>
        <translation>每个 token 的字节数</translation>
    </message>
    <message>
        <source>Times smaller than fp32</source>
        <translation>相对 fp32 缩小倍数</translation>
    </message>
</context>
<context>
    <name>lanescope::app::ChartDeck</name>
    <message>
        <source>x axis</source>
        <translation>横轴</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>of</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>last request</source>
        <translation>最近一次请求</translation>
    </message>
    <message>
        <source>mean of repetitions</source>
        <translation>各次重复的平均</translation>
    </message>
    <message>
        <source>Last request: what was generated last. Mean: position by position over all timed repetitions of all prompts.</source>
        <translation>最近一次请求：最后生成的内容。平均：对所有提示词的全部计时重复按位置取平均。</translation>
    </message>
    <message>
        <source>Wheel zooms, drag zooms into a box, Shift+wheel pans, double-click resets, a click selects the token.</source>
        <translation>滚轮缩放，拖动框选放大，Shift+滚轮平移，双击复位，单击选择 token。</translation>
    </message>
    <message>
        <source>Per-token latency</source>
        <translation>每 token 延迟</translation>
    </message>
    <message>
        <source>ITL: time between two emitted tokens. The first token&apos;s wait is TTFT and not part of this line.</source>
        <translation>ITL：相邻两个输出 token 之间的时间。第一个 token 的等待是 TTFT，不在此曲线中。</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Bytes of the KV blocks the sequence holds, keys and values of all layers.</source>
        <translation>序列占用的 KV 块字节数，含所有层的键和值。</translation>
    </message>
    <message>
        <source>output token</source>
        <translation>输出 token</translation>
    </message>
    <message>
        <source>time since request start (s)</source>
        <translation>请求开始后的时间（秒）</translation>
    </message>
    <message>
        <source>context (tokens)</source>
        <translation>上下文（token）</translation>
    </message>
    <message>
        <source>Run the lanes to fill the charts.</source>
        <translation>运行通道后图表才有内容。</translation>
    </message>
</context>
<context>
    <name>lanescope::app::ChipRow</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
</context>
<context>
    <name>lanescope::app::ColorLegend</name>
    <message>
        <source>p = 1</source>
        <translation>p = 1</translation>
    </message>
    <message>
        <source>0 ms</source>
        <translation>0 毫秒</translation>
    </message>
    <message>
        <source>p = 0</source>
        <translation>p = 0</translation>
    </message>
    <message>
        <source>p95 and slower</source>
        <translation>p95 及更慢</translation>
    </message>
    <message>
        <source>not the baseline&apos;s token</source>
        <translation>与基线的 token 不同</translation>
    </message>
</context>
<context>
    <name>lanescope::app::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Type a command</source>
        <translation>输入命令</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
</context>
<context>
    <name>lanescope::app::CompareView</name>
    <message>
        <source>better</source>
        <translation>更好</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>更差</translation>
    </message>
    <message>
        <source>within noise</source>
        <translation>噪声之内</translation>
    </message>
    <message>
        <source>one repetition: noise unknown</source>
        <translation>仅一次重复：噪声未知</translation>
    </message>
    <message>
        <source>Comparison of two runs</source>
        <translation>两次运行的比较</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>After</source>
        <translation>之后</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>%</source>
        <translation>%</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Welch&apos;s t-test, two-sided, 95 %: a change inside the noise is grey</source>
        <translation>Welch t 检验，双侧，95 %：噪声之内的变化显示为灰色</translation>
    </message>
    <message>
        <source>Select two runs to compare them figure by figure.</source>
        <translation>选择两次运行，逐项比较。</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; → &lt;b&gt;%2&lt;/b&gt;</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; → &lt;b&gt;%2&lt;/b&gt;</translation>
    </message>
    <message>
        <source>These two runs have no lane of the same name.</source>
        <translation>这两次运行没有同名的通道。</translation>
    </message>
</context>
<context>
    <name>lanescope::app::DataTable</name>
    <message>
        <source>Copy as Markdown</source>
        <translation>复制为 Markdown</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>复制为 CSV</translation>
    </message>
    <message>
        <source>Copy as TSV</source>
        <translation>复制为 TSV</translation>
    </message>
    <message>
        <source>Copy cell</source>
        <translation>复制单元格</translation>
    </message>
</context>
<context>
    <name>lanescope::app::DivergenceController</name>
    <message>
        <source>%1: window %2 of %3</source>
        <translation>%1：第 %2 个窗口，共 %3 个</translation>
    </message>
</context>
<context>
    <name>lanescope::app::ErrorBanner</name>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>lanescope::app::FormatsTab</name>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Measure the ticked formats</source>
        <translation>测量勾选的格式</translation>
    </message>
    <message>
        <source>KLD by positions before</source>
        <translation>KLD 随前文长度的变化</translation>
    </message>
    <message>
        <source>nats</source>
        <translation>nats</translation>
    </message>
    <message>
        <source>est. %1 left</source>
        <translation>估计还需 %1</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Its model and settings, but for the cache</source>
        <translation>它的模型和设置，缓存除外</translation>
    </message>
    <message>
        <source>Against</source>
        <translation>对照</translation>
    </message>
    <message>
        <source>Format of the cache that is compared with</source>
        <translation>作为对照的缓存格式</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Depths</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>A figure for the positions up to each; the last is the length of a window</source>
        <translation>每个深度以内的位置各得一个数；最后一个是窗口长度</translation>
    </message>
    <message>
        <source>Windows</source>
        <translation>窗口数</translation>
    </message>
    <message>
        <source>Of the text, at most</source>
        <translation>文本最多取几个</translation>
    </message>
    <message>
        <source>Choose a text</source>
        <translation>选择文本</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>Text file</source>
        <translation>文本文件</translation>
    </message>
    <message>
        <source>Empty: the project&apos;s own descriptions. A text of your own says more.</source>
        <translation>留空：使用本项目自己的说明文字。用你自己的文本更有意义。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>How far predictions move when keys and values are stored in fewer bits: the KL divergence from the reference cache, on the same text, apart by how many positions came before. Measured here, in the background.</source>
        <translation>键和值用更少的位存储时预测会偏离多少：在同一文本上相对对照缓存的 KL 散度，按前面有多少个位置分开。在这里后台测量。</translation>
    </message>
    <message>
        <source>Divergence by format and depth</source>
        <translation>各格式、各深度的散度</translation>
    </message>
    <message>
        <source>Progress of the measurement</source>
        <translation>测量进度</translation>
    </message>
    <message>
        <source>Open a model first</source>
        <translation>请先打开模型</translation>
    </message>
    <message>
        <source>Tick a format first</source>
        <translation>请先勾选一种格式</translation>
    </message>
    <message>
        <source>The depths are not a list of numbers</source>
        <translation>深度不是一列数字</translation>
    </message>
    <message>
        <source>Write for example 128, 256, 512, 1024.</source>
        <translation>例如写 128, 256, 512, 1024。</translation>
    </message>
    <message>
        <source>The text cannot be read</source>
        <translation>无法读取文本</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>position in the text (middle of each stretch)</source>
        <translation>文本中的位置（各段的中点）</translation>
    </message>
    <message>
        <source>KV as</source>
        <translation>KV 存为</translation>
    </message>
    <message>
        <source>Positions</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token 数</translation>
    </message>
    <message>
        <source>KLD mean</source>
        <translation>KLD 均值</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>99 %</source>
        <translation>99 %</translation>
    </message>
    <message>
        <source>Same best %</source>
        <translation>最佳相同 %</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>困惑度</translation>
    </message>
    <message>
        <source>Bytes a token</source>
        <translation>每个 token 的字节数</translation>
    </message>
    <message>
        <source>Where in the window: so many tokens came before</source>
        <translation>窗口中的位置：前面有这么多 token</translation>
    </message>
    <message>
        <source>Positions that were compared</source>
        <translation>比较过的位置</translation>
    </message>
    <message>
        <source>KL(reference ‖ this), nats, mean over the positions</source>
        <translation>KL(对照 ‖ 此格式)，单位 nats，对各位置平均</translation>
    </message>
    <message>
        <source>Positions at which both find the same token best</source>
        <translation>两者认为最佳的 token 相同的位置</translation>
    </message>
    <message>
        <source>exp(mean negative log probability) with this cache</source>
        <translation>使用此缓存时的 exp(平均负对数概率)</translation>
    </message>
    <message>
        <source>K and V of all layers</source>
        <translation>所有层的 K 和 V</translation>
    </message>
    <message>
        <source>Against %1, %2 of %3, the same text.</source>
        <translation>对照 %1，%2，每个 %3，同一文本。</translation>
    </message>
    <message numerus="yes">
        <source>%n window(s)</source>
        <translation>
            <numerusform>%n 个窗口</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n 个 token</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::Inspector</name>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Click a token, a point of a chart or a span: its probabilities and the time of every op appear here.</source>
        <translation>单击 token、图表上的点或区段：这里会显示其概率和各算子的耗时。</translation>
    </message>
    <message>
        <source>Run the lanes, then click a token: its probabilities and the time of every op appear here.</source>
        <translation>先运行通道，再单击 token：这里会显示其概率和各算子的耗时。</translation>
    </message>
    <message>
        <source>%1 · token %2  “%3”</source>
        <translation>%1 · token %2  “%3”</translation>
    </message>
    <message>
        <source>id</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>latency (ITL)</source>
        <translation>延迟（ITL）</translation>
    </message>
    <message>
        <source>latency (TTFT)</source>
        <translation>延迟（TTFT）</translation>
    </message>
    <message>
        <source>probability</source>
        <translation>概率</translation>
    </message>
    <message>
        <source>log probability</source>
        <translation>对数概率</translation>
    </message>
    <message>
        <source>entropy</source>
        <translation>熵</translation>
    </message>
    <message>
        <source>%1 nats</source>
        <translation>%1 纳特</translation>
    </message>
    <message>
        <source>context</source>
        <translation>上下文</translation>
    </message>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>KV held</source>
        <translation>占用 KV</translation>
    </message>
    <message>
        <source>token id %1</source>
        <translation>token 编号 %1</translation>
    </message>
    <message numerus="yes">
        <source>Top %n candidate(s)</source>
        <translation>
            <numerusform>前 %n 个候选</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 % of the step · %2 spans · %3 GB/s · %4 GFLOP/s</source>
        <translation>占本步 %1 % · %2 个区段 · %3 GB/s · %4 GFLOP/s</translation>
    </message>
    <message>
        <source>Time by op (prefill)</source>
        <translation>各算子耗时（预填充）</translation>
    </message>
    <message>
        <source>Time by op (this step)</source>
        <translation>各算子耗时（本步）</translation>
    </message>
    <message>
        <source>No op spans were recorded for this step.</source>
        <translation>本步没有记录算子区段。</translation>
    </message>
    <message>
        <source>Sum of ops %1. Host clock, measured inside the engine.</source>
        <translation>算子合计 %1。主机时钟，在引擎内测量。</translation>
    </message>
    <message>
        <source>Time range</source>
        <translation>时间范围</translation>
    </message>
    <message>
        <source>start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>length</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>spans</source>
        <translation>区段</translation>
    </message>
    <message>
        <source>Time by op (selected range)</source>
        <translation>各算子耗时（所选范围）</translation>
    </message>
    <message>
        <source>No op spans in this range.</source>
        <translation>此范围内没有算子区段。</translation>
    </message>
</context>
<context>
    <name>lanescope::app::KernelsPage</name>
    <message>
        <source>Time by op</source>
        <translation>各算子耗时</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>%1 spans were dropped (rings full): totals are too low</source>
        <translation>丢弃了 %1 个区段（缓冲区已满）：总计偏低</translation>
    </message>
    <message>
        <source>lane %1</source>
        <translation>通道 %1</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>token %1</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>层 %1</translation>
    </message>
    <message>
        <source>from %1, length %2</source>
        <translation>从 %1 起，长度 %2</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>屋顶线</translation>
    </message>
    <message>
        <source>What is above the table</source>
        <translation>表格上方的内容</translation>
    </message>
    <message>
        <source>Every op by its arithmetic intensity and speed, under what this machine can do at most</source>
        <translation>按算术强度和速度标出每个算子，上方是这台机器的极限</translation>
    </message>
    <message>
        <source>All steps</source>
        <translation>所有步</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>Decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>Steps that count</source>
        <translation>计入的步</translation>
    </message>
    <message>
        <source>Steps that count in the table and the roofline. An op does more arithmetic for each byte in prefill than in decode.</source>
        <translation>计入表格和屋顶线图的步。算子在预填充时每字节的运算比解码时多。</translation>
    </message>
    <message>
        <source>Above 100 % of roof: the data came from the caches, which are faster than memory.</source>
        <translation>屋顶线占比超过 100 %：数据来自比内存更快的处理器缓存。</translation>
    </message>
    <message>
        <source>No op of this run has both bytes and arithmetic to show: trace ops and run again.</source>
        <translation>此次运行没有同时记录字节数和运算量的算子：请开启算子跟踪后重新运行。</translation>
    </message>
    <message>
        <source>Run a prompt: every op appears here under what this machine can do at most.</source>
        <translation>运行一个提示词：每个算子会显示在这里，上方是这台机器的极限。</translation>
    </message>
    <message>
        <source>Above the arithmetic roof: something else ran while the roof was measured.</source>
        <translation>高于算力上限：测量屋顶线时有其他程序在运行。</translation>
    </message>
    <message>
        <source>Adding up… %1 %</source>
        <translation>正在汇总… %1 %</translation>
    </message>
    <message>
        <source>By op</source>
        <translation>按算子</translation>
    </message>
    <message>
        <source>By layer</source>
        <translation>按层</translation>
    </message>
    <message>
        <source>By kernel</source>
        <translation>按内核</translation>
    </message>
    <message>
        <source>By token</source>
        <translation>按 token</translation>
    </message>
    <message>
        <source>What the rows of the table are</source>
        <translation>表格的每一行是什么</translation>
    </message>
    <message>
        <source>What the rows of the table are. A token is the step that made it.</source>
        <translation>表格的每一行是什么。token 指生成它的那一步。</translation>
    </message>
    <message>
        <source>Timed by the CPU</source>
        <translation>由 CPU 计时</translation>
    </message>
    <message>
        <source>Timed by the GPU</source>
        <translation>由 GPU 计时</translation>
    </message>
    <message>
        <source>Whose clock the roofline goes by</source>
        <translation>屋顶线图采用谁的时钟</translation>
    </message>
    <message>
        <source>The engine&apos;s own clock readings, or the device&apos;s. The two are never mixed in one chart.</source>
        <translation>引擎自己的时钟读数，或设备的时钟读数。两者从不混在一张图中。</translation>
    </message>
    <message>
        <source>Selection only</source>
        <translation>仅选中部分</translation>
    </message>
    <message>
        <source>Count what is selected: the time range (what lies in it by at least half), the token, the layer, the op</source>
        <translation>只统计选中的部分：时间范围（至少一半落在其中）、token、层、算子</translation>
    </message>
    <message>
        <source>Filter the table</source>
        <translation>筛选表格</translation>
    </message>
    <message>
        <source>Find by name (Enter: next)</source>
        <translation>按名称查找（回车：下一个）</translation>
    </message>
    <message>
        <source>Find in the timeline</source>
        <translation>在时间线中查找</translation>
    </message>
    <message>
        <source>Open trace…</source>
        <translation>打开跟踪…</translation>
    </message>
    <message>
        <source>Chrome or Perfetto JSON, also compressed: from Lanescope, the PyTorch profiler, exports of nsys …</source>
        <translation>Chrome 或 Perfetto JSON，也可压缩：来自 Lanescope、PyTorch profiler、nsys 的导出等</translation>
    </message>
    <message>
        <source>Save trace…</source>
        <translation>保存跟踪…</translation>
    </message>
    <message>
        <source>Reading the trace</source>
        <translation>正在读取跟踪</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>正在读取 %1…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close trace</source>
        <translation>关闭跟踪</translation>
    </message>
    <message>
        <source>%1, read-only</source>
        <translation>%1，只读</translation>
    </message>
    <message>
        <source>An opened trace is a file already</source>
        <translation>打开的跟踪本来就是文件</translation>
    </message>
    <message>
        <source>This run as Chrome trace JSON, for Perfetto and the like</source>
        <translation>将本次运行存为 Chrome 跟踪 JSON，供 Perfetto 等使用</translation>
    </message>
    <message>
        <source>%1 counted</source>
        <translation>已统计 %1 个</translation>
    </message>
    <message>
        <source>The %1 longest of %2 rows are shown: select a part of the run to see others.</source>
        <translation>显示 %2 行中最长的 %1 行：选择运行的一部分可查看其他行。</translation>
    </message>
    <message>
        <source>Save the trace</source>
        <translation>保存跟踪</translation>
    </message>
    <message>
        <source>Chrome traces (*.json)</source>
        <translation>Chrome 跟踪 (*.json)</translation>
    </message>
    <message>
        <source>Kernels of the GPU were not timed one by one: %1.</source>
        <translation>GPU 的内核未逐个计时：%1。</translation>
    </message>
    <message>
        <source>%1 records of the GPU were dropped: its totals are too low.</source>
        <translation>GPU 的 %1 条记录被丢弃：其合计偏低。</translation>
    </message>
</context>
<context>
    <name>lanescope::app::LaneCard</name>
    <message>
        <source>Pin as baseline</source>
        <translation>设为基线</translation>
    </message>
    <message>
        <source>Mute: keep the lane, do not run it</source>
        <translation>停用：保留通道，但不运行</translation>
    </message>
    <message>
        <source>Duplicate lane</source>
        <translation>复制通道</translation>
    </message>
    <message>
        <source>Edit lane</source>
        <translation>编辑通道</translation>
    </message>
    <message>
        <source>Remove lane</source>
        <translation>移除通道</translation>
    </message>
    <message>
        <source>Lane %1: %2</source>
        <translation>通道 %1：%2</translation>
    </message>
    <message>
        <source>Unpin baseline</source>
        <translation>取消基线</translation>
    </message>
    <message>
        <source>Unmute: run the lane again</source>
        <translation>启用：重新运行该通道</translation>
    </message>
    <message>
        <source>Six lanes are the most that can be compared</source>
        <translation>最多可以比较六个通道</translation>
    </message>
    <message>
        <source>reading the checkpoint…</source>
        <translation>正在读取检查点…</translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>muted</source>
        <translation>已停用</translation>
    </message>
    <message>
        <source>est. %1</source>
        <translation>估计 %1</translation>
    </message>
    <message>
        <source>measured %1</source>
        <translation>实测 %1</translation>
    </message>
    <message>
        <source>load %1</source>
        <translation>加载 %1</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>空闲 %1</translation>
    </message>
    <message>
        <source>Effective settings:</source>
        <translation>实际生效的设置：</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Unmute</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Mute</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Click for tensors, metadata, tokenizer and chat template (I)</source>
        <translation>点击查看张量、元数据、分词器和聊天模板（I）</translation>
    </message>
    <message>
        <source>Model details</source>
        <translation>模型详情</translation>
    </message>
</context>
<context>
    <name>lanescope::app::LaneDialog</name>
    <message>
        <source>Exact: fp32 activations and KV cache</source>
        <translation>精确：fp32 激活和 KV 缓存</translation>
    </message>
    <message>
        <source>Lane %1</source>
        <translation>通道 %1</translation>
    </message>
    <message>
        <source>The exact path keeps the KV cache in fp32</source>
        <translation>精确路径的 KV 缓存保持 fp32</translation>
    </message>
    <message>
        <source>a .gguf file, a model folder, or a known name</source>
        <translation>.gguf 文件、模型文件夹或已知名称</translation>
    </message>
    <message>
        <source>all (%1)</source>
        <translation>全部（%1）</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 个 token</translation>
    </message>
    <message>
        <source>default: trained context, at most 4096</source>
        <translation>默认：训练时的上下文，最多 4096</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;KV cache</source>
        <translation>KV 缓存(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Attention</source>
        <translation>注意力(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Threads</source>
        <translation>线程(&amp;T)</translation>
    </message>
    <message>
        <source>KV &amp;block</source>
        <translation>KV 块(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Context</source>
        <translation>上下文(&amp;C)</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>OK</source>
        <translation>确定</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Choose a checkpoint</source>
        <translation>选择检查点</translation>
    </message>
    <message>
        <source>Checkpoints (*.gguf *.safetensors config.json);;All files (*)</source>
        <translation>检查点 (*.gguf *.safetensors config.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>No model chosen yet</source>
        <translation>尚未选择模型</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>%1 · %2 layers · width %3 · %4 heads, %5 KV heads · trained context %6</source>
        <translation>%1 · %2 层 · 宽度 %3 · %4 个头，%5 个 KV 头 · 训练上下文 %6</translation>
    </message>
    <message>
        <source>est. weights %1 + KV %2 + compute %3 = %4; %5 free</source>
        <translation>估计：权重 %1 + KV %2 + 计算 %3 = %4；空闲 %5</translation>
    </message>
    <message>
        <source>More than is free: choose a shorter context.</source>
        <translation>超过空闲内存：请选择更短的上下文。</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>模型自带</translation>
    </message>
    <message>
        <source>edited</source>
        <translation>已编辑</translation>
    </message>
    <message>
        <source>How a chat becomes text; edit it on the Model page</source>
        <translation>对话如何变成文本；可在“模型”页编辑</translation>
    </message>
    <message>
        <source>C&amp;hat template</source>
        <translation>聊天模板(&amp;H)</translation>
    </message>
    <message>
        <source>Pack weights for speed when they are loaded</source>
        <translation>加载时重排权重以提速</translation>
    </message>
    <message>
        <source>Block-quantised weights are laid out anew in memory; answers stay the same</source>
        <translation>块量化权重在内存中重新排列；答案不变</translation>
    </message>
    <message>
        <source>Keep every thread on a core of its own</source>
        <translation>每个线程固定在各自的核心上</translation>
    </message>
    <message>
        <source>int8, a scale per 32</source>
        <translation>int8，每 32 个一个缩放</translation>
    </message>
    <message>
        <source>int8 in two terms: finer, slower</source>
        <translation>int8 两项：更精细，更慢</translation>
    </message>
    <message>
        <source>bf16, and all weights too</source>
        <translation>bf16，所有权重也取 bf16</translation>
    </message>
    <message>
        <source>How activations are rounded where they meet weights</source>
        <translation>激活与权重相乘时如何取整</translation>
    </message>
    <message>
        <source>Acti&amp;vations</source>
        <translation>激活(&amp;V)</translation>
    </message>
    <message>
        <source>processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>NVIDIA GPU</source>
        <translation>NVIDIA GPU</translation>
    </message>
    <message>
        <source>Where the lane computes; a lane without its device says what is missing</source>
        <translation>该通道在哪里计算；缺少设备的通道会说明缺什么</translation>
    </message>
    <message>
        <source>Com&amp;putes on</source>
        <translation>计算设备(&amp;P)</translation>
    </message>
    <message>
        <source>Matri&amp;x products</source>
        <translation>矩阵乘法(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Next token from</source>
        <translation>下一个 token 来自(&amp;N)</translation>
    </message>
    <message>
        <source>own kernels</source>
        <translation>自有内核</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s cuBLASLt, for f16 and bf16 weights</source>
        <translation>NVIDIA 的 cuBLASLt，用于 f16 和 bf16 权重</translation>
    </message>
    <message>
        <source>Who multiplies f16 and bf16 matrices; a lane that cannot have the library says why</source>
        <translation>由谁计算 f16 和 bf16 矩阵乘法；无法使用该库的通道会说明原因</translation>
    </message>
    <message>
        <source>processor: all logits are copied back</source>
        <translation>处理器：拷回全部 logits</translation>
    </message>
    <message>
        <source>GPU: only the tokens are</source>
        <translation>GPU：只拷回 token</translation>
    </message>
    <message>
        <source>Where logits become tokens; the same seed gives the same tokens</source>
        <translation>logits 在何处变成 token；相同种子得到相同 token</translation>
    </message>
    <message>
        <source>turned</source>
        <translation>旋转</translation>
    </message>
    <message>
        <source>values</source>
        <translation>值</translation>
    </message>
    <message>
        <source>all keys in layers</source>
        <translation>看全部键的层</translation>
    </message>
    <message>
        <source>as keys</source>
        <translation>与键相同</translation>
    </message>
    <message>
        <source>Number format of values, where it is another than that of keys</source>
        <translation>值的数字格式（与键不同时）</translation>
    </message>
    <message>
        <source>A Hadamard matrix spreads what is large in a few channels before it is rounded</source>
        <translation>舍入之前先用 Hadamard 矩阵把少数通道里的大数分散开</translation>
    </message>
    <message>
        <source>none, such as 0-1,5</source>
        <translation>无，例如 0-1,5</translation>
    </message>
    <message>
        <source>Layers that look at all keys all the same</source>
        <translation>仍然看全部键的层</translation>
    </message>
    <message>
        <source>flash; naive; window:W+S: the last W keys and the first S; block-sparse:B,L,S: in blocks of B the last L and every S-th; pages:K: the K blocks that match a query best; heavy:R+H: the last R and the H that got the most weight</source>
        <translation>flash；naive；window:W+S：最后 W 个键和最前 S 个；block-sparse:B,L,S：每块 B 个，最后 L 块以及每隔 S 块的一块；pages:K：与查询最匹配的 K 块；heavy:R+H：最后 R 个和获得权重最多的 H 个</translation>
    </message>
</context>
<context>
    <name>lanescope::app::LaneStrip</name>
    <message>
        <source>Add a lane</source>
        <translation>添加通道</translation>
    </message>
    <message>
        <source>Six lanes are the most that can be compared</source>
        <translation>最多可以比较六个通道</translation>
    </message>
</context>
<context>
    <name>lanescope::app::LegendRow</name>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
</context>
<context>
    <name>lanescope::app::MainWindow</name>
    <message>
        <source>Play</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Lanescope</source>
        <translation>Lanescope</translation>
    </message>
    <message>
        <source>%1 — Lanescope</source>
        <translation>%1 — Lanescope</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>&amp;Add lane…</source>
        <translation>添加通道(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Unpin baseline</source>
        <translation>取消基线(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Run the prompt</source>
        <translation>运行提示词(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Commands…</source>
        <translation>命令(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;About Lanescope</source>
        <translation>关于 Lanescope(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Open model…</source>
        <translation>打开模型(&amp;O)…</translation>
    </message>
    <message>
        <source>Open &amp;plan or run…</source>
        <translation>打开计划或运行(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Save plan</source>
        <translation>保存计划(&amp;S)</translation>
    </message>
    <message>
        <source>Save plan &amp;as…</source>
        <translation>计划另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Export run…</source>
        <translation>导出运行(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>实验(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Kernels</source>
        <translation>算子(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Runs</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Write in the prompt</source>
        <translation>编辑提示词(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Inspector</source>
        <translation>检查器(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>S&amp;ystem language</source>
        <translation>系统语言(&amp;Y)</translation>
    </message>
    <message>
        <source>nothing yet</source>
        <translation>暂无</translation>
    </message>
    <message>
        <source>Open a plan or a stored run</source>
        <translation>打开计划或已保存的运行</translation>
    </message>
    <message>
        <source>Plans and runs (*.json *.db *.lanescope);;All files (*)</source>
        <translation>计划和运行 (*.json *.db *.lanescope);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Save the plan</source>
        <translation>保存计划</translation>
    </message>
    <message>
        <source>Plans (*.json)</source>
        <translation>计划 (*.json)</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>Model: tensors</source>
        <translation>模型：张量</translation>
    </message>
    <message>
        <source>Model: metadata</source>
        <translation>模型：元数据</translation>
    </message>
    <message>
        <source>Model: tokenizer</source>
        <translation>模型：分词器</translation>
    </message>
    <message>
        <source>Model: chat template</source>
        <translation>模型：聊天模板</translation>
    </message>
    <message>
        <source>Open &amp;trace…</source>
        <translation>打开跟踪(&amp;T)…</translation>
    </message>
    <message>
        <source>Open a trace</source>
        <translation>打开跟踪</translation>
    </message>
    <message>
        <source>Chrome and Perfetto traces (*.json *.json.gz *.gz);;All files (*)</source>
        <translation>Chrome 和 Perfetto 跟踪 (*.json *.json.gz *.gz);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>Serving</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>A run is in progress: stop it, or wait for its end</source>
        <translation>正在运行：请停止它，或等它结束</translation>
    </message>
    <message>
        <source>A measurement is in progress: stop it, or wait for its end</source>
        <translation>正在测量：请停止它，或等它结束</translation>
    </message>
    <message>
        <source>A measurement is in progress</source>
        <translation>正在测量</translation>
    </message>
    <message>
        <source>Stop it, or run the prompt afterwards.</source>
        <translation>请先停止测量，或稍后再运行提示。</translation>
    </message>
    <message>
        <source>&amp;Cache</source>
        <translation>缓存(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Serving</source>
        <translation>服务(&amp;S)</translation>
    </message>
</context>
<context>
    <name>lanescope::app::MemoryBar</name>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>est.</source>
        <translation>估计</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>resident set grew by</source>
        <translation>常驻内存增长</translation>
    </message>
    <message>
        <source>free on this machine</source>
        <translation>本机空闲</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
</context>
<context>
    <name>lanescope::app::MetadataView</name>
    <message>
        <source>Search keys and values</source>
        <translation>搜索键和值</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Metadata</source>
        <translation>元数据</translation>
    </message>
    <message>
        <source>Whole value</source>
        <translation>完整的值</translation>
    </message>
    <message>
        <source>Select a key: its whole value is shown here</source>
        <translation>选择一个键：此处显示其完整的值</translation>
    </message>
    <message>
        <source>Copy the value</source>
        <translation>复制该值</translation>
    </message>
    <message numerus="yes">
        <source>%n key(s)</source>
        <translation>
            <numerusform>%n 个键</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::ModelCard</name>
    <message>
        <source>Bytes by tensor type</source>
        <translation>各张量类型的字节数</translation>
    </message>
    <message>
        <source>default (at most 4096)</source>
        <translation>默认（至多 4096）</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 个 token</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Tokens the KV cache has room for</source>
        <translation>KV 缓存可容纳的 token 数</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Number format of the KV cache</source>
        <translation>KV 缓存的数值格式</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>&amp;Context</source>
        <translation>上下文(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;KV cache</source>
        <translation>KV 缓存(&amp;K)</translation>
    </message>
    <message>
        <source>Choose a model at the left, or a file or folder above: its figures and what it needs are shown here before it is loaded.</source>
        <translation>在左侧选择模型，或在上方选择文件或文件夹：加载之前，此处会显示它的各项数据和所需内存。</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Largest</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>The largest context that fits in what is free now</source>
        <translation>当前空闲内存可放下的最大上下文</translation>
    </message>
</context>
<context>
    <name>lanescope::app::ModelList</name>
    <message>
        <source>Search a folder…</source>
        <translation>搜索文件夹…</translation>
    </message>
    <message>
        <source>Search again</source>
        <translation>重新搜索</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Filter models</source>
        <translation>筛选模型</translation>
    </message>
    <message>
        <source>Models on this machine</source>
        <translation>本机上的模型</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Tensor type that holds most bytes</source>
        <translation>占字节最多的张量类型</translation>
    </message>
    <message>
        <source>Finds the models in a folder and all folders in it; it is remembered</source>
        <translation>查找文件夹及其所有子文件夹中的模型；该文件夹会被记住</translation>
    </message>
    <message>
        <source>Searches the remembered folders again</source>
        <translation>再次搜索已记住的文件夹</translation>
    </message>
    <message>
        <source>Keeps what was found until now</source>
        <translation>保留目前已找到的</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>Files that were opened before</source>
        <translation>以前打开过的文件</translation>
    </message>
    <message>
        <source>nothing yet</source>
        <translation>暂无</translation>
    </message>
    <message>
        <source>Models of the cache folder</source>
        <translation>缓存文件夹中的模型</translation>
    </message>
    <message>
        <source>Known models that ./dev models puts there</source>
        <translation>由 ./dev models 放入的已知模型</translation>
    </message>
    <message>
        <source>none there: ./dev models fetches SmolLM2 135M</source>
        <translation>没有：./dev models 可获取 SmolLM2 135M</translation>
    </message>
    <message>
        <source>searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>no models found</source>
        <translation>未找到模型</translation>
    </message>
    <message>
        <source>not searched yet</source>
        <translation>尚未搜索</translation>
    </message>
    <message>
        <source>Searching: %1 files seen, %2 models found</source>
        <translation>正在搜索：已查看 %1 个文件，找到 %2 个模型</translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) found in the folders</source>
        <translation>
            <numerusform>在文件夹中找到 %n 个模型</numerusform>
        </translation>
    </message>
    <message>
        <source>Search a folder for models</source>
        <translation>在文件夹中搜索模型</translation>
    </message>
    <message>
        <source>Forget this folder</source>
        <translation>不再记住此文件夹</translation>
    </message>
    <message>
        <source>Delete: forget this folder</source>
        <translation>Delete 键：不再记住此文件夹</translation>
    </message>
</context>
<context>
    <name>lanescope::app::ModelPage</name>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Models of the lanes, and the one opened last</source>
        <translation>各通道的模型，以及最后打开的模型</translation>
    </message>
    <message>
        <source>Choose another model (Ctrl+O)</source>
        <translation>选择其他模型（Ctrl+O）</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Metadata</source>
        <translation>元数据</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>聊天模板</translation>
    </message>
    <message>
        <source>No model yet. Open one (Ctrl+O): its architecture, tensors, metadata, tokenizer and chat template are shown here.</source>
        <translation>还没有模型。请打开一个（Ctrl+O）：此处会显示它的架构、张量、元数据、分词器和聊天模板。</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Nothing of this model can be shown.</source>
        <translation>此模型没有可显示的内容。</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 个参数</translation>
    </message>
</context>
<context>
    <name>lanescope::app::OpenDialog</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>a .gguf or .safetensors file, a model folder, a known name, or synthetic:CONFIG.json</source>
        <translation>.gguf 或 .safetensors 文件、模型文件夹、已知名称，或 synthetic:CONFIG.json</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>&amp;File…</source>
        <translation>文件(&amp;F)…</translation>
    </message>
    <message>
        <source>F&amp;older…</source>
        <translation>文件夹(&amp;O)…</translation>
    </message>
    <message>
        <source>Choose a .gguf or .safetensors file</source>
        <translation>选择 .gguf 或 .safetensors 文件</translation>
    </message>
    <message>
        <source>Choose a folder with config.json</source>
        <translation>选择含 config.json 的文件夹</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>What to do with it</source>
        <translation>如何处理</translation>
    </message>
    <message>
        <source>as two lanes to begin with</source>
        <translation>作为开始的两个通道</translation>
    </message>
    <message>
        <source>as one more lane</source>
        <translation>作为新增通道</translation>
    </message>
    <message>
        <source>in all lanes, instead of their model</source>
        <translation>用于所有通道，替换其模型</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Checkpoints (*.gguf *.safetensors config.json);;All files (*)</source>
        <translation>检查点 (*.gguf *.safetensors config.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>打开模型文件夹</translation>
    </message>
    <message>
        <source>Choose a model first</source>
        <translation>请先选择模型</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Open the model in the lanes</source>
        <translation>在通道中打开此模型</translation>
    </message>
    <message>
        <source>This model cannot run: see the message above</source>
        <translation>此模型无法运行：见上方说明</translation>
    </message>
</context>
<context>
    <name>lanescope::app::OverviewView</name>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Bytes by tensor type</source>
        <translation>各张量类型的字节数</translation>
    </message>
    <message>
        <source>Parameters by part</source>
        <translation>各部分的参数</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>MLP</source>
        <translation>MLP</translation>
    </message>
    <message>
        <source>Norms</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Output head</source>
        <translation>输出头</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 个参数</translation>
    </message>
</context>
<context>
    <name>lanescope::app::PlanDocument</name>
    <message>
        <source>Add lane</source>
        <translation>添加通道</translation>
    </message>
    <message>
        <source>Duplicate lane</source>
        <translation>复制通道</translation>
    </message>
    <message>
        <source>Edit lane %1</source>
        <translation>编辑通道 %1</translation>
    </message>
    <message>
        <source>Remove lane %1</source>
        <translation>移除通道 %1</translation>
    </message>
    <message>
        <source>Mute lane</source>
        <translation>停用通道</translation>
    </message>
    <message>
        <source>Unmute lane</source>
        <translation>启用通道</translation>
    </message>
    <message>
        <source>Unpin baseline</source>
        <translation>取消基线</translation>
    </message>
    <message>
        <source>Pin baseline</source>
        <translation>设置基线</translation>
    </message>
</context>
<context>
    <name>lanescope::app::PromptBar</name>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>System message of a chat</source>
        <translation>对话的系统消息</translation>
    </message>
    <message>
        <source>System message (empty: none)</source>
        <translation>系统消息（空：无）</translation>
    </message>
    <message>
        <source>System message</source>
        <translation>系统消息</translation>
    </message>
    <message>
        <source>Prompt. Drop a text file here to use its text.</source>
        <translation>提示词。可将文本文件拖放到此处。</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Raw text</source>
        <translation>原始文本</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Token ids</source>
        <translation>Token 编号</translation>
    </message>
    <message>
        <source>Chat: through the model&apos;s template. Raw text: as it is.</source>
        <translation>对话：经过模型的模板。原始文本：原样使用。</translation>
    </message>
    <message>
        <source>Prompt mode</source>
        <translation>提示词模式</translation>
    </message>
    <message>
        <source>Prompt edited</source>
        <translation>正在编辑的提示词</translation>
    </message>
    <message>
        <source>0: greedy, always the most probable token</source>
        <translation>0：贪心，总是选最可能的 token</translation>
    </message>
    <message>
        <source>More sampling settings, repetitions, warm-up</source>
        <translation>更多采样设置、重复次数、预热</translation>
    </message>
    <message>
        <source>More settings</source>
        <translation>更多设置</translation>
    </message>
    <message>
        <source>Ma&amp;x tokens</source>
        <translation>最多 token(&amp;X)</translation>
    </message>
    <message>
        <source>Temperatu&amp;re</source>
        <translation>温度(&amp;R)</translation>
    </message>
    <message>
        <source>S&amp;eed</source>
        <translation>种子(&amp;E)</translation>
    </message>
    <message>
        <source>Prompt %1 of %2</source>
        <translation>提示词 %1 / %2</translation>
    </message>
    <message>
        <source>More (%1)</source>
        <translation>更多（%1）</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Add or unmute a lane first</source>
        <translation>请先添加通道或启用</translation>
    </message>
    <message>
        <source>Write a prompt first</source>
        <translation>请先输入提示词</translation>
    </message>
    <message>
        <source>Stop the run (Esc)</source>
        <translation>停止运行（Esc）</translation>
    </message>
    <message>
        <source>Run the prompt through every lane (Ctrl+Enter)</source>
        <translation>用每个通道运行提示词（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
</context>
<context>
    <name>lanescope::app::ReportDialog</name>
    <message>
        <source>Export report</source>
        <translation>导出报告</translation>
    </message>
    <message>
        <source>Run “%1”</source>
        <translation>运行“%1”</translation>
    </message>
    <message>
        <source>HTML report</source>
        <translation>HTML 报告</translation>
    </message>
    <message>
        <source>One file with charts; opens without network</source>
        <translation>含图表的单个文件，无需网络即可打开</translation>
    </message>
    <message>
        <source>PDF report</source>
        <translation>PDF 报告</translation>
    </message>
    <message>
        <source>The same on A4 pages</source>
        <translation>相同内容，A4 页面</translation>
    </message>
    <message>
        <source>CSV</source>
        <translation>CSV</translation>
    </message>
    <message>
        <source>One row a token, and one row a lane</source>
        <translation>每个 token 一行，以及每个通道一行</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Everything, with a schema version</source>
        <translation>全部数据，带格式版本</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>The summary table, for pasting</source>
        <translation>汇总表，便于粘贴</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>跟踪</translation>
    </message>
    <message>
        <source>Spans for Perfetto or chrome://tracing</source>
        <translation>供 Perfetto 或 chrome://tracing 使用的区段</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Folder for the report</source>
        <translation>报告文件夹</translation>
    </message>
    <message>
        <source>Choose at least one format.</source>
        <translation>请至少选择一种格式。</translation>
    </message>
    <message>
        <source>Choose a folder.</source>
        <translation>请选择文件夹。</translation>
    </message>
    <message>
        <source>The folder %1 cannot be made.</source>
        <translation>无法创建文件夹 %1。</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>已写入：%1</translation>
    </message>
</context>
<context>
    <name>lanescope::app::RooflineChart</name>
    <message>
        <source>Lane %1 · %2</source>
        <translation>通道 %1 · %2</translation>
    </message>
    <message>
        <source>%1 FLOP/byte · %2 GFLOP/s · %3 GB/s</source>
        <translation>%1 FLOP/字节 · %2 GFLOP/s · %3 GB/s</translation>
    </message>
    <message>
        <source>%1, %2 % of the lane&apos;s op time</source>
        <translation>%1，占该通道算子时间的 %2 %</translation>
    </message>
    <message>
        <source>%1 of roof (at most %2 GFLOP/s) · limit: %3</source>
        <translation>屋顶线占比 %1（至多 %2 GFLOP/s）· 瓶颈：%3</translation>
    </message>
    <message>
        <source>Above the roof: the data came from the caches</source>
        <translation>高于屋顶线：数据来自处理器缓存</translation>
    </message>
    <message>
        <source>Copy as PNG</source>
        <translation>复制为 PNG</translation>
    </message>
    <message>
        <source>Copy as SVG</source>
        <translation>复制为 SVG</translation>
    </message>
    <message>
        <source>Reset zoom</source>
        <translation>重置缩放</translation>
    </message>
    <message>
        <source>Arithmetic intensity (FLOP/byte)</source>
        <translation>算术强度（FLOP/字节）</translation>
    </message>
    <message>
        <source>GFLOP/s</source>
        <translation>GFLOP/s</translation>
    </message>
    <message numerus="yes">
        <source>%n thread(s)</source>
        <translation>
            <numerusform>%n 个线程</numerusform>
        </translation>
    </message>
    <message>
        <source>int8 %1 GOP/s</source>
        <translation>int8 %1 GOP/s</translation>
    </message>
    <message>
        <source>bf16 %1 GFLOP/s</source>
        <translation>bf16 %1 GFLOP/s</translation>
    </message>
    <message>
        <source>fp32 %1 GFLOP/s</source>
        <translation>fp32 %1 GFLOP/s</translation>
    </message>
    <message>
        <source>%1 GB/s read</source>
        <translation>读 %1 GB/s</translation>
    </message>
    <message>
        <source>Lane %1</source>
        <translation>通道 %1</translation>
    </message>
    <message>
        <source>matrix products</source>
        <translation>矩阵乘</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>other ops</source>
        <translation>其他算子</translation>
    </message>
    <message>
        <source>size: share of the lane&apos;s op time</source>
        <translation>大小：占该通道算子时间的比例</translation>
    </message>
    <message>
        <source>%1 GB/s copied · %2</source>
        <translation>拷贝 %1 GB/s · %2</translation>
    </message>
</context>
<context>
    <name>lanescope::app::RunController</name>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Loading lane %1 of %2…</source>
        <translation>正在加载通道 %1 / %2…</translation>
    </message>
    <message>
        <source>Warm-up, request %1 of %2</source>
        <translation>预热，请求 %1 / %2</translation>
    </message>
    <message>
        <source>Request %1 of %2</source>
        <translation>请求 %1 / %2</translation>
    </message>
    <message>
        <source>The run could not be stored</source>
        <translation>无法保存此次运行</translation>
    </message>
    <message numerus="yes">
        <source>Measuring what this machine can do at most with %n thread(s)…</source>
        <translation>
            <numerusform>正在测量这台机器用 %n 个线程的极限…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::RunsPage</name>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>Filter runs</source>
        <translation>筛选运行</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Select two runs: the older one is the &quot;before&quot;</source>
        <translation>选择两次运行：较早的作为“之前”</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Export report…</source>
        <translation>导出报告…</translation>
    </message>
    <message>
        <source>Save as file…</source>
        <translation>另存为文件…</translation>
    </message>
    <message>
        <source>Saves the run as one .lanescope file that can be opened on another machine</source>
        <translation>将运行保存为一个 .lanescope 文件，可在其他机器上打开</translation>
    </message>
    <message>
        <source>Import file…</source>
        <translation>导入文件…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Stored runs</source>
        <translation>已保存的运行</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Lanes</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>No runs yet. Every run is kept here: run the lanes on the Play page.</source>
        <translation>还没有运行。每次运行都会保存在这里：请在“实验”页运行通道。</translation>
    </message>
    <message>
        <source>Runs are not stored in this session.</source>
        <translation>本次会话不保存运行。</translation>
    </message>
    <message>
        <source>Rename run</source>
        <translation>重命名运行</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) deleted.</source>
        <translation>
            <numerusform>已删除 %n 次运行。</numerusform>
        </translation>
    </message>
    <message>
        <source>Save run</source>
        <translation>保存运行</translation>
    </message>
    <message>
        <source>Lanescope runs (*.lanescope)</source>
        <translation>Lanescope 运行 (*.lanescope)</translation>
    </message>
    <message>
        <source>Saved to %1</source>
        <translation>已保存到 %1</translation>
    </message>
    <message>
        <source>Import run</source>
        <translation>导入运行</translation>
    </message>
    <message>
        <source>Imported as %1</source>
        <translation>已导入为 %1</translation>
    </message>
</context>
<context>
    <name>lanescope::app::SamplingPanel</name>
    <message>
        <source>Go on after the end token</source>
        <translation>遇到结束 token 后继续</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 个 token</translation>
    </message>
    <message>
        <source>several: separate with |, newline: \n</source>
        <translation>多个用 | 分隔，换行写作 \n</translation>
    </message>
    <message>
        <source>Keep the k most probable tokens</source>
        <translation>保留最可能的 k 个 token</translation>
    </message>
    <message>
        <source>Keep the smallest set of tokens with this probability (1: off)</source>
        <translation>保留达到此概率的最小 token 集合（1：关闭）</translation>
    </message>
    <message>
        <source>Drop tokens less probable than this share of the best one (0: off)</source>
        <translation>丢弃概率低于最佳 token 此比例的 token（0：关闭）</translation>
    </message>
    <message>
        <source>Divide the score of recent tokens by this (1: off)</source>
        <translation>将最近 token 的分数除以此值（1：关闭）</translation>
    </message>
    <message>
        <source>Timed runs of every prompt; two or more give a noise estimate</source>
        <translation>每个提示词的计时运行次数；两次以上才能估计噪声</translation>
    </message>
    <message>
        <source>Runs before the timed ones, left out of the figures</source>
        <translation>计时之前的运行，不计入指标</translation>
    </message>
    <message>
        <source>Top-&amp;k</source>
        <translation>Top-k(&amp;K)</translation>
    </message>
    <message>
        <source>Top-&amp;p</source>
        <translation>Top-p(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Min-p</source>
        <translation>Min-p(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Repeat penalty</source>
        <translation>重复惩罚(&amp;R)</translation>
    </message>
    <message>
        <source>Penalty &amp;window</source>
        <translation>惩罚窗口(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Stop strings</source>
        <translation>停止字符串(&amp;S)</translation>
    </message>
    <message>
        <source>Repe&amp;titions</source>
        <translation>重复次数(&amp;T)</translation>
    </message>
    <message>
        <source>Warm-&amp;up runs</source>
        <translation>预热次数(&amp;U)</translation>
    </message>
</context>
<context>
    <name>lanescope::app::ServingCharts</name>
    <message>
        <source>Arrivals and queue</source>
        <translation>到达与排队</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批</translation>
    </message>
    <message>
        <source>Computed in a pass</source>
        <translation>每一趟计算量</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>tok/s</translation>
    </message>
    <message>
        <source>TTFT, requests within x</source>
        <translation>TTFT，x 以内的请求</translation>
    </message>
    <message>
        <source>ITL, gaps within x</source>
        <translation>ITL，x 以内的间隔</translation>
    </message>
    <message>
        <source>Tokens of prompts and steps of decoding that each forward pass computed</source>
        <translation>每趟前向计算的提示 token 和解码步</translation>
    </message>
    <message>
        <source>Tokens given out in stretches of equal length, divided by their length</source>
        <translation>等长时段内输出的 token 数除以时段长度</translation>
    </message>
    <message>
        <source>Share of the requests whose first token came within x ms of their arrival</source>
        <translation>到达后 x ms 内得到首个 token 的请求所占比例</translation>
    </message>
    <message>
        <source>Share of the gaps between two tokens of a request that were at most x ms long</source>
        <translation>同一请求相邻 token 的间隔中不超过 x ms 的比例</translation>
    </message>
    <message>
        <source>Over time:</source>
        <translation>随时间：</translation>
    </message>
    <message>
        <source>Policy whose passes are shown over time</source>
        <translation>按时间显示哪种策略的各趟</translation>
    </message>
    <message>
        <source>time since the start (s)</source>
        <translation>自开始的时间（s）</translation>
    </message>
    <message>
        <source>arrived</source>
        <translation>已到达</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>in the pass</source>
        <translation>本趟中</translation>
    </message>
    <message>
        <source>preempted so far</source>
        <translation>累计抢占</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>decoding</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>goal</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Throughput in stretches of %1</source>
        <translation>吞吐，每段 %1</translation>
    </message>
    <message>
        <source>TTFT (ms)</source>
        <translation>TTFT（ms）</translation>
    </message>
    <message>
        <source>ITL (ms)</source>
        <translation>ITL（ms）</translation>
    </message>
</context>
<context>
    <name>lanescope::app::ServingController</name>
    <message>
        <source>Warming up…</source>
        <translation>正在预热…</translation>
    </message>
    <message>
        <source>Policy %1 of %2: %3 of %4 requests ended</source>
        <translation>第 %1 种策略，共 %2 种：%4 个请求中已结束 %3 个</translation>
    </message>
</context>
<context>
    <name>lanescope::app::ServingForm</name>
    <message>
        <source>a second</source>
        <translation>每秒</translation>
    </message>
    <message>
        <source>Serve</source>
        <translation>开始服务</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Its model and settings; the context is as long as the longest request needs</source>
        <translation>它的模型和设置；上下文取最长请求所需的长度</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Poisson</source>
        <translation>泊松</translation>
    </message>
    <message>
        <source>Bursts</source>
        <translation>突发</translation>
    </message>
    <message>
        <source>From a file</source>
        <translation>来自文件</translation>
    </message>
    <message>
        <source>Arrive</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>Poisson: at random, so many a second on average. Bursts: so many at once. A file has a line of JSON for each request.</source>
        <translation>泊松：随机到达，平均每秒若干个。突发：同时到达若干个。文件：每个请求一行 JSON。</translation>
    </message>
    <message>
        <source>Requests a second</source>
        <translation>每秒请求数</translation>
    </message>
    <message>
        <source>Requests in a burst</source>
        <translation>一次突发的请求数</translation>
    </message>
    <message>
        <source>Seconds between bursts</source>
        <translation>两次突发间隔的秒数</translation>
    </message>
    <message>
        <source>every </source>
        <translation>每 </translation>
    </message>
    <message>
        <source>File of arrivals</source>
        <translation>到达文件</translation>
    </message>
    <message>
        <source>arrivals.jsonl</source>
        <translation>arrivals.jsonl</translation>
    </message>
    <message>
        <source>Choose a file of arrivals</source>
        <translation>选择到达文件</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Requests in all</source>
        <translation>请求总数</translation>
    </message>
    <message>
        <source>Prompt tokens</source>
        <translation>提示 token 数</translation>
    </message>
    <message>
        <source>A number, or a range that lengths are drawn from, short ones more often: 16-128</source>
        <translation>一个数，或抽取长度的范围（短的更常见）：16-128</translation>
    </message>
    <message>
        <source>Answer tokens</source>
        <translation>回答 token 数</translation>
    </message>
    <message>
        <source>A number or a range. Every request gets just so many tokens, so that policies do the same work.</source>
        <translation>一个数或一个范围。每个请求正好得到这么多 token，使各策略的工作量相同。</translation>
    </message>
    <message>
        <source>Same beginning</source>
        <translation>相同开头</translation>
    </message>
    <message>
        <source>Tokens that all prompts begin with; their KV blocks are shared</source>
        <translation>所有提示共同的开头 token；其 KV 块被共享</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>The same seed gives the same requests on every machine</source>
        <translation>相同的种子在任何机器上给出相同的请求</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>限制</translation>
    </message>
    <message>
        <source>At once</source>
        <translation>同时运行</translation>
    </message>
    <message>
        <source>Requests that may run at the same time</source>
        <translation>可以同时运行的请求数</translation>
    </message>
    <message>
        <source>Tokens a pass</source>
        <translation>每趟 token 数</translation>
    </message>
    <message>
        <source>Of one forward pass: every running request&apos;s next token first, then pieces of prompts</source>
        <translation>一趟前向的上限：先是每个运行中请求的下一个 token，再是提示的分块</translation>
    </message>
    <message>
        <source>enough for all</source>
        <translation>足够全部</translation>
    </message>
    <message>
        <source>KV blocks</source>
        <translation>KV 块</translation>
    </message>
    <message>
        <source>Of the cache. With fewer than all requests need, some are preempted and computed again.</source>
        <translation>缓存的块数。少于全部请求所需时，部分请求会被抢占并重新计算。</translation>
    </message>
    <message>
        <source>Policies, one after the other</source>
        <translation>策略，依次运行</translation>
    </message>
    <message>
        <source>Goal (SLO)</source>
        <translation>目标（SLO）</translation>
    </message>
    <message>
        <source>TTFT at most</source>
        <translation>TTFT 不超过</translation>
    </message>
    <message>
        <source>Arrival to first token. Goodput counts requests that keep both (arXiv 2401.09670).</source>
        <translation>从到达到首个 token。有效吞吐只计两项都达到的请求（arXiv 2401.09670）。</translation>
    </message>
    <message>
        <source>TPOT at most</source>
        <translation>TPOT 不超过</translation>
    </message>
    <message>
        <source>Mean time per token after the first, of a request</source>
        <translation>请求在首个 token 之后每个 token 的平均时间</translation>
    </message>
    <message>
        <source>Open a model first</source>
        <translation>请先打开模型</translation>
    </message>
    <message>
        <source>Tick a policy first</source>
        <translation>请先勾选一种策略</translation>
    </message>
    <message>
        <source>Serve the requests under every ticked policy</source>
        <translation>用每种勾选的策略服务这些请求</translation>
    </message>
    <message>
        <source>Lines of JSON (*.jsonl *.json *.txt);;All files (*)</source>
        <translation>JSON 行 (*.jsonl *.json *.txt);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>lanescope::app::ServingPage</name>
    <message>
        <source>Copy as Markdown</source>
        <translation>复制为 Markdown</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>复制为 CSV</translation>
    </message>
    <message>
        <source>Policies side by side</source>
        <translation>各策略对照</translation>
    </message>
    <message>
        <source>Progress of serving</source>
        <translation>服务进度</translation>
    </message>
    <message>
        <source>est. %1 left</source>
        <translation>估计还需 %1</translation>
    </message>
    <message>
        <source>Here many requests share one engine. You will see how they arrive and wait, what each pass computes, tokens a second over time, how TTFT and ITL are distributed, and which requests kept the goal; continuous batching beside a static batch and one request at a time, on the same arrivals.</source>
        <translation>这里众多请求共用一个引擎。你会看到它们如何到达和等待、每一趟计算什么、每秒 token 数随时间的变化、TTFT 和 ITL 的分布，以及哪些请求达到目标；在相同的到达下，连续批处理与静态批、逐个请求并列对照。</translation>
    </message>
    <message>
        <source>Serve on lane %1</source>
        <translation>在通道 %1 上开始服务</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
</context>
<context>
    <name>lanescope::app::StartPage</name>
    <message>
        <source>Compare what makes a model cheaper</source>
        <translation>比较哪些优化让模型更省</translation>
    </message>
    <message>
        <source>A lane is one model with one set of settings. Choose a model to start with; two lanes are made from it, and every prompt runs through both.</source>
        <translation>一个通道是一个模型加一组设置。请选择一个模型开始；会由它建立两个通道，每个提示词都会经过这两个通道。</translation>
    </message>
    <message>
        <source>or drop a .gguf file, a folder with config.json, a plan or a stored run here</source>
        <translation>或将 .gguf 文件、含 config.json 的文件夹、计划或已保存的运行拖放到此处</translation>
    </message>
    <message>
        <source>Models on this machine</source>
        <translation>本机上的模型</translation>
    </message>
    <message>
        <source>No model yet? &lt;code&gt;./dev models&lt;/code&gt; in the source folder puts SmolLM2 135M (98 MB, Apache-2.0) in the cache folder; it appears here by itself.</source>
        <translation>还没有模型？在源码文件夹中运行 &lt;code&gt;./dev models&lt;/code&gt;，会把 SmolLM2 135M（98 MB，Apache-2.0）放入缓存文件夹，随后它会自动出现在这里。</translation>
    </message>
    <message>
        <source>none found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
    <message>
        <source>Choose a file, a folder or a model that was found, and see what it is and needs before it is loaded (Ctrl+O)</source>
        <translation>选择文件、文件夹或已找到的模型，并在加载之前了解它是什么、需要什么（Ctrl+O）</translation>
    </message>
</context>
<context>
    <name>lanescope::app::StatsBar</name>
    <message>
        <source>Figures</source>
        <translation>指标</translation>
    </message>
</context>
<context>
    <name>lanescope::app::StatusLine</name>
    <message>
        <source>%1 threads</source>
        <translation>%1 线程</translation>
    </message>
    <message>
        <source>profiler est. %1 %</source>
        <translation>分析器开销估计 %1 %</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>运行进度</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Recorded events times the measured cost of recording one, as a share of the run.</source>
        <translation>记录的事件数乘以记录一个事件的实测开销，占运行时间的比例。</translation>
    </message>
    <message>
        <source>CPU: %1</source>
        <translation>CPU：%1</translation>
    </message>
    <message>
        <source>%1 spans dropped</source>
        <translation>丢弃了 %1 个区段</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>runs are not stored</source>
        <translation>运行不会被保存</translation>
    </message>
    <message>
        <source>Longest pause of the interface: %1</source>
        <translation>界面最长停顿：%1</translation>
    </message>
</context>
<context>
    <name>lanescope::app::TemplateView</name>
    <message>
        <source>Start the answer</source>
        <translation>开始回答</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Use the model&apos;s own</source>
        <translation>使用模型自带的</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>还原</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Where the text in the editor comes from</source>
        <translation>编辑器中文本的来源</translation>
    </message>
    <message>
        <source>Sample conversation</source>
        <translation>示例对话</translation>
    </message>
    <message>
        <source>The conversation that the template is tried on</source>
        <translation>用于试用模板的对话</translation>
    </message>
    <message>
        <source>Lanes that get the template</source>
        <translation>使用该模板的通道</translation>
    </message>
    <message>
        <source>add_generation_prompt: ends with the start of the model&apos;s turn</source>
        <translation>add_generation_prompt：以模型发言的开头结尾</translation>
    </message>
    <message>
        <source>Back to the text as it was chosen</source>
        <translation>恢复为所选的原文</translation>
    </message>
    <message>
        <source>These lanes take the template of their checkpoint again</source>
        <translation>这些通道重新使用检查点自带的模板</translation>
    </message>
    <message>
        <source>Template text</source>
        <translation>模板文本</translation>
    </message>
    <message>
        <source>This checkpoint has no chat template. Choose one above, or write one.</source>
        <translation>此检查点没有聊天模板。请在上方选择一个，或自己编写。</translation>
    </message>
    <message>
        <source>What the model is given</source>
        <translation>模型收到的内容</translation>
    </message>
    <message>
        <source>the model has none</source>
        <translation>模型没有</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>模型自带</translation>
    </message>
    <message>
        <source>lane %1: %2</source>
        <translation>通道 %1：%2</translation>
    </message>
    <message>
        <source>in lane %1</source>
        <translation>用于通道 %1</translation>
    </message>
    <message>
        <source>in all lanes of this model</source>
        <translation>用于此模型的所有通道</translation>
    </message>
    <message>
        <source>Line %1: %2</source>
        <translation>第 %1 行：%2</translation>
    </message>
    <message numerus="yes">
        <source>%n byte(s)</source>
        <translation>
            <numerusform>%n 字节</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>marked: what a person wrote; it never becomes a control token</source>
        <translation>标记处：由人书写，绝不会成为控制 token</translation>
    </message>
    <message>
        <source>No lane uses this model.</source>
        <translation>没有通道使用此模型。</translation>
    </message>
    <message>
        <source>Lanes use: %1</source>
        <translation>通道使用：%1</translation>
    </message>
    <message>
        <source>No lane uses this model: open it first</source>
        <translation>没有通道使用此模型：请先打开它</translation>
    </message>
    <message>
        <source>The chosen lanes use the text in the editor</source>
        <translation>所选通道使用编辑器中的文本</translation>
    </message>
    <message>
        <source>The template must render first</source>
        <translation>模板须先能渲染</translation>
    </message>
    <message>
        <source>Use chat template</source>
        <translation>使用聊天模板</translation>
    </message>
    <message>
        <source>Use the model&apos;s own chat template</source>
        <translation>使用模型自带的聊天模板</translation>
    </message>
</context>
<context>
    <name>lanescope::app::TensorsView</name>
    <message>
        <source>Search tensors</source>
        <translation>搜索张量</translation>
    </message>
    <message>
        <source>Part of a name, shape or type (Ctrl+F)</source>
        <translation>名称、形状或类型的一部分（Ctrl+F）</translation>
    </message>
    <message>
        <source>Tensor type</source>
        <translation>张量类型</translation>
    </message>
    <message>
        <source>Only tensors of this type</source>
        <translation>仅此类型的张量</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Cell</source>
        <translation>单元格</translation>
    </message>
    <message>
        <source>Selected rows as TSV</source>
        <translation>所选行（TSV）</translation>
    </message>
    <message>
        <source>All shown as TSV</source>
        <translation>全部所示（TSV）</translation>
    </message>
    <message>
        <source>All shown as CSV</source>
        <translation>全部所示（CSV）</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Elements</source>
        <translation>元素数</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>偏移</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Outermost first: a matrix is [rows, columns]</source>
        <translation>最外层在前：矩阵为 [行, 列]</translation>
    </message>
    <message>
        <source>How the numbers are stored</source>
        <translation>数值的存储方式</translation>
    </message>
    <message>
        <source>Bytes of its data</source>
        <translation>数据的字节数</translation>
    </message>
    <message>
        <source>Part of all tensor bytes</source>
        <translation>占全部张量字节的比例</translation>
    </message>
    <message>
        <source>Where its data starts in the file, bytes</source>
        <translation>数据在文件中的起始位置（字节）</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>all types</source>
        <translation>所有类型</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 字节</translation>
    </message>
    <message>
        <source>%1 of %2 tensors · %3 elements · %4</source>
        <translation>%2 个张量中的 %1 个 · %3 个元素 · %4</translation>
    </message>
</context>
<context>
    <name>lanescope::app::TimelineView</name>
    <message>
        <source>Kernel timeline</source>
        <translation>算子时间线</translation>
    </message>
    <message>
        <source>Fit everything</source>
        <translation>适合全部</translation>
    </message>
    <message>
        <source>Fit the selection</source>
        <translation>适合选区</translation>
    </message>
    <message>
        <source>Collapse all</source>
        <translation>全部折叠</translation>
    </message>
    <message>
        <source>Expand all</source>
        <translation>全部展开</translation>
    </message>
    <message>
        <source>Click to expand</source>
        <translation>点击展开</translation>
    </message>
    <message>
        <source>Click to collapse</source>
        <translation>点击折叠</translation>
    </message>
    <message>
        <source>Sorting %1 spans… %2 %</source>
        <translation>正在整理 %1 个区段… %2 %</translation>
    </message>
    <message>
        <source>No spans yet: run the lanes with op tracing on, or open a trace file.</source>
        <translation>还没有区段：请打开算子跟踪后运行通道，或打开跟踪文件。</translation>
    </message>
</context>
<context>
    <name>lanescope::app::TokenChips</name>
    <message>
        <source>Tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>token %1, id %2</source>
        <translation>token %1，编号 %2</translation>
    </message>
    <message>
        <source>text %1</source>
        <translation>文本 %1</translation>
    </message>
    <message>
        <source>bytes %1</source>
        <translation>字节 %1</translation>
    </message>
    <message>
        <source>special token</source>
        <translation>特殊 token</translation>
    </message>
</context>
<context>
    <name>lanescope::app::TokenColumn</name>
    <message>
        <source>Copy answer</source>
        <translation>复制回答</translation>
    </message>
    <message>
        <source>Answer of lane %1</source>
        <translation>通道 %1 的回答</translation>
    </message>
    <message>
        <source>waiting for its turn</source>
        <translation>等待轮到它</translation>
    </message>
    <message>
        <source>Nothing run yet. Ctrl+Enter runs the prompt through every lane.</source>
        <translation>还没有运行。按 Ctrl+Enter 用每个通道运行提示词。</translation>
    </message>
    <message>
        <source>★ Baseline</source>
        <translation>★ 基线</translation>
    </message>
</context>
<context>
    <name>lanescope::app::TokenColumns</name>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Colour &amp;tokens by</source>
        <translation>token 着色(&amp;T)</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>probability</source>
        <translation>概率</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>disagrees with baseline</source>
        <translation>与基线不同</translation>
    </message>
    <message>
        <source>Colour tokens by</source>
        <translation>token 着色依据</translation>
    </message>
    <message>
        <source>Prompt shown</source>
        <translation>显示的提示词</translation>
    </message>
    <message>
        <source>Repetition shown</source>
        <translation>显示的重复</translation>
    </message>
    <message>
        <source>newest prompt</source>
        <translation>最新提示词</translation>
    </message>
    <message>
        <source>prompt %1</source>
        <translation>提示词 %1</translation>
    </message>
    <message>
        <source>newest repetition</source>
        <translation>最新重复</translation>
    </message>
    <message>
        <source>repetition %1</source>
        <translation>重复 %1</translation>
    </message>
</context>
<context>
    <name>lanescope::app::TokenView</name>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Copy answer</source>
        <translation>复制回答</translation>
    </message>
    <message>
        <source>Copy selected tokens</source>
        <translation>复制所选 token</translation>
    </message>
    <message>
        <source>token %1, id %2
probability %3 %
%4 after the previous one
context %5</source>
        <translation>token %1，编号 %2
概率 %3 %
距上一个 %4
上下文 %5</translation>
    </message>
</context>
<context>
    <name>lanescope::app::TokenizerView</name>
    <message>
        <source>Parse special tokens</source>
        <translation>解析特殊 token</translation>
    </message>
    <message>
        <source>Add BOS</source>
        <translation>添加 BOS</translation>
    </message>
    <message>
        <source>Write or paste text: its tokens are shown below</source>
        <translation>输入或粘贴文本：下方显示其 token</translation>
    </message>
    <message>
        <source>Text to tokenise</source>
        <translation>要分词的文本</translation>
    </message>
    <message>
        <source>The sky is blue because air scatters blue light most.</source>
        <translation>The sky is blue because air scatters blue light most.</translation>
    </message>
    <message>
        <source>On: &lt;|im_end|&gt; in the text is that control token. Off: it is just characters, as in a user&apos;s message</source>
        <translation>开：文本中的 &lt;|im_end|&gt; 是该控制 token。关：它只是字符，如同用户消息中那样</translation>
    </message>
    <message>
        <source>Adds what the vocabulary puts around a text, such as the BOS token</source>
        <translation>添加词表在文本前后放置的内容，例如 BOS token</translation>
    </message>
    <message>
        <source>Copy ids</source>
        <translation>复制编号</translation>
    </message>
    <message>
        <source>All ids, separated by commas</source>
        <translation>全部编号，以逗号分隔</translation>
    </message>
    <message>
        <source>The ids are decoded again and compared with the text</source>
        <translation>将编号重新解码并与文本比较</translation>
    </message>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n 个 token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n character(s)</source>
        <translation>
            <numerusform>%n 个字符</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 bytes a token</source>
        <translation>每 token %1 字节</translation>
    </message>
    <message numerus="yes">
        <source>%n special</source>
        <translation>
            <numerusform>%n 个特殊</numerusform>
        </translation>
    </message>
    <message>
        <source>the first %1 are shown</source>
        <translation>显示前 %1 个</translation>
    </message>
    <message>
        <source>only the first %1 characters</source>
        <translation>仅前 %1 个字符</translation>
    </message>
    <message>
        <source>✓ round trip: decoding gives the same text</source>
        <translation>✓ 往返：解码得到相同文本</translation>
    </message>
    <message>
        <source>✗ round trip: %1</source>
        <translation>✗ 往返：%1</translation>
    </message>
    <message>
        <source>Click a token, or walk with the arrow keys</source>
        <translation>点击 token，或用方向键移动</translation>
    </message>
</context>
<context>
    <name>lanescope::app::TraceChart</name>
    <message>
        <source>Reset zoom</source>
        <translation>复位缩放</translation>
    </message>
    <message>
        <source>Copy as PNG</source>
        <translation>复制为 PNG</translation>
    </message>
    <message>
        <source>Copy as SVG</source>
        <translation>复制为 SVG</translation>
    </message>
</context>
</TS>
