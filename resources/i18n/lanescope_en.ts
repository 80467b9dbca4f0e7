<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>ModelFacts</name>
    <message numerus="yes">
        <source>yes, %n character(s)</source>
        <translation>
            <numerusform>yes, %n character</numerusform>
            <numerusform>yes, %n characters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %n tensor(s), %2</source>
        <translation>
            <numerusform>%1, %n tensor, %2</numerusform>
            <numerusform>%1, %n tensors, %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) of types that are not read</source>
        <translation>
            <numerusform>%n tensor of a type that is not read</numerusform>
            <numerusform>%n tensors of types that are not read</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::BarList</name>
    <message numerus="yes">
        <source>%1 · %2 % · %n tensor(s)</source>
        <translation>
            <numerusform>%1 · %2 % · %n tensor</numerusform>
            <numerusform>%1 · %2 % · %n tensors</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::BlockView</name>
    <message numerus="yes">
        <source>%n reader(s)</source>
        <translation>
            <numerusform>%n reader</numerusform>
            <numerusform>%n readers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::CalculatorTab</name>
    <message numerus="yes">
        <source>%1 (%n sequence(s))</source>
        <translation>
            <numerusform>%1 (%n sequence)</numerusform>
            <numerusform>%1 (%n sequences)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::FormatsTab</name>
    <message numerus="yes">
        <source>%n window(s)</source>
        <translation>
            <numerusform>%n window</numerusform>
            <numerusform>%n windows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::Inspector</name>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Top %n candidate(s)</source>
        <translation>
            <numerusform>Top candidate</numerusform>
            <numerusform>Top %n candidates</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::MetadataView</name>
    <message numerus="yes">
        <source>%n key(s)</source>
        <translation>
            <numerusform>%n key</numerusform>
            <numerusform>%n keys</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::ModelList</name>
    <message numerus="yes">
        <source>%n model(s) found in the folders</source>
        <translation>
            <numerusform>%n model found in the folders</numerusform>
            <numerusform>%n models found in the folders</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::RooflineChart</name>
    <message numerus="yes">
        <source>%n thread(s)</source>
        <translation>
            <numerusform>%n thread</numerusform>
            <numerusform>%n threads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::RunController</name>
    <message numerus="yes">
        <source>Measuring what this machine can do at most with %n thread(s)…</source>
        <translation>
            <numerusform>Measuring what this machine can do at most with %n thread…</numerusform>
            <numerusform>Measuring what this machine can do at most with %n threads…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::RunsPage</name>
    <message numerus="yes">
        <source>%n run(s) deleted.</source>
        <translation>
            <numerusform>%n run deleted.</numerusform>
            <numerusform>%n runs deleted.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::TemplateView</name>
    <message numerus="yes">
        <source>%n byte(s)</source>
        <translation>
            <numerusform>%n byte</numerusform>
            <numerusform>%n bytes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::TokenizerView</name>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n character(s)</source>
        <translation>
            <numerusform>%n character</numerusform>
            <numerusform>%n characters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n special</source>
        <translation>
            <numerusform>%n special</numerusform>
            <numerusform>%n special</numerusform>
        </translation>
    </message>
</context>
</TS>
